#include "plumb/figure/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "plumb/figure/ticks.h"

namespace plumb {
namespace {

constexpr double text_size = 13, letter = 0.56 * text_size;  // the mean width of a letter

double text_width(const std::string& text) {
  return letter * static_cast<double>(std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

// Values to pixels along one axis.
struct Scale {
  double low = 0, high = 1, from = 0, to = 1;
  bool log = false;

  double operator()(double v) const {
    const double part = log ? std::log(v / low) / std::log(high / low) : (v - low) / (high - low);
    return from + part * (to - from);
  }
  bool shows(double v) const { return std::isfinite(v) && (!log || v > 0); }
};

std::pair<double, double> range_of(const Figure& f, bool vertical) {
  const FigureAxis& axis = vertical ? f.y : f.x;
  if (axis.range) return *axis.range;
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const FigureCurve& c : f.curves)
    for (const double v : vertical ? c.y : c.x)
      if (std::isfinite(v) && (!axis.log || v > 0)) low = std::min(low, v), high = std::max(high, v);
  if (!(low <= high)) return axis.log ? std::pair(0.1, 10.0) : std::pair(0.0, 1.0);
  if (axis.log) return low < high ? std::pair(low / 1.3, high * 1.3) : std::pair(low / 10, high * 10);
  if (low == high) {
    const double margin = low == 0 ? 1 : 0.1 * std::abs(low);
    return {low - margin, high + margin};
  }
  // Differences of the size of rounding are not shown as if they were motion.
  const double least = 16 * std::numeric_limits<double>::epsilon() * std::max(std::abs(low), std::abs(high));
  const double margin = std::max(vertical ? 0.05 * (high - low) : 0.0, (least - (high - low)) / 2);
  return {low - margin, high + margin};
}

class Drawing {
 public:
  Drawing(const Figure& figure, const SvgOptions& options) : f_(figure), o_(options) {
    std::tie(x_.low, x_.high) = range_of(f_, false);
    std::tie(y_.low, y_.high) = range_of(f_, true);
    x_.log = f_.x.log, y_.log = f_.y.log;
    lay_out();
  }

  std::string str() {
    open();
    grid();
    for (std::size_t i = 0; i < f_.curves.size(); ++i) curve(f_.curves[i], curve_colour(i));
    put("</g>\n");
    frame();
    legend();
    put("</svg>\n");
    return std::move(text_);
  }

 private:
  template <class... T>
  void put(fmt::format_string<T...> format, T&&... values) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<T>(values)...);
  }

  void lay_out() {
    top_ = f_.title.empty() ? 12 : 34;
    if (shows_legend()) {
      double x = 0;
      legend_rows_ = 1;
      for (const FigureCurve& c : f_.curves) {
        const double w = 34 + text_width(c.name);
        if (x > 0 && x + w > o_.width - 90) x = 0, ++legend_rows_;
        x += w;
      }
      top_ += 20 * legend_rows_ + 4;
    }
    const double bottom = o_.height - (f_.x.label.empty() ? 30 : 50);
    y_.from = bottom, y_.to = top_;
    y_ticks_ = ticks(y_, static_cast<int>((bottom - top_) / 38));
    double widest = 20;
    for (const std::string& l : y_ticks_.labels) widest = std::max(widest, text_width(l));
    x_.from = widest + (f_.y.label.empty() ? 18 : 40), x_.to = o_.width - 18;
    if (f_.equal_scale && !x_.log && !y_.log) make_equal();
    y_ticks_ = ticks(y_, static_cast<int>((y_.from - y_.to) / 38));
    x_ticks_ = ticks(x_, static_cast<int>((x_.to - x_.from) / 80));
  }

  void make_equal() {
    const double per_x = (x_.high - x_.low) / (x_.to - x_.from), per_y = (y_.high - y_.low) / (y_.from - y_.to);
    Scale& s = per_x < per_y ? x_ : y_;
    const double grow = per_x < per_y ? per_y / per_x : per_x / per_y;
    const double middle = (s.low + s.high) / 2, half = (s.high - s.low) / 2 * grow;
    s.low = middle - half, s.high = middle + half;
  }

  static Ticks ticks(const Scale& s, int count) {
    return s.log ? log_ticks(s.low, s.high, std::max(count, 2)) : linear_ticks(s.low, s.high, std::max(count, 2));
  }

  void open() {
    put("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:g} {1:g}\" width=\"{0:g}\" height=\"{1:g}\" "
        "role=\"img\" aria-label=\"{2}\" font-family=\"DejaVu Sans, Helvetica, Arial, sans-serif\" "
        "font-size=\"{3:g}\"{4}>\n",
        o_.width, o_.height, escape_markup(f_.title.empty() ? "plot" : f_.title), text_size,
        o_.standalone ? " color=\"#222222\"" : "");
    if (o_.standalone) put("<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n");
    if (!f_.title.empty())
      put("<text x=\"{:.1f}\" y=\"20\" text-anchor=\"middle\" font-size=\"15\" font-weight=\"bold\" "
          "fill=\"currentColor\">{}</text>\n",
          (x_.from + x_.to) / 2, escape_markup(f_.title));
    put("<clipPath id=\"{0}\"><rect x=\"{1:.2f}\" y=\"{2:.2f}\" width=\"{3:.2f}\" height=\"{4:.2f}\"/></clipPath>\n",
        clip(), x_.from, y_.to, x_.to - x_.from, y_.from - y_.to);
  }

  // One page may hold many figures; the name of the clip must differ where the frame does.
  std::string clip() const { return fmt::format("c{:.0f}-{:.0f}-{:.0f}", 100 * x_.from, 100 * y_.to, 100 * y_.from); }

  void grid() {
    put("<g stroke=\"currentColor\" stroke-opacity=\"0.15\" stroke-width=\"1\">\n");
    for (const double v : x_ticks_.at) put("<path d=\"M{0:.2f} {1:.2f}V{2:.2f}\"/>\n", x_(v), y_.from, y_.to);
    for (const double v : y_ticks_.at) put("<path d=\"M{0:.2f} {1:.2f}H{2:.2f}\"/>\n", x_.from, y_(v), x_.to);
    put("</g>\n<g clip-path=\"url(#{})\">\n", clip());
  }

  void curve(const FigureCurve& c, const std::string& colour) {
    const bool line = c.style != FigureCurve::Style::points;
    if (line) {
      put("<path fill=\"none\" stroke=\"{}\" stroke-width=\"1.6\" stroke-linejoin=\"round\"{} d=\"", colour,
          c.style == FigureCurve::Style::dashed ? " stroke-dasharray=\"6 4\"" : "");
      path(c);
      put("\"/>\n");
    }
    if (!line || c.style == FigureCurve::Style::line_and_points)
      for (std::size_t i = 0; i < std::min(c.x.size(), c.y.size()); ++i)
        if (x_.shows(c.x[i]) && y_.shows(c.y[i]))
          put("<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"{:g}\" fill=\"{}\"/>\n", x_(c.x[i]), y_(c.y[i]), line ? 3. : 4.,
              colour);
  }

  // Points less than a fifth of a pixel from the last are left out, unless they turn back: nothing of the curve is lost
  // at any resolution a screen or a printer has.
  void path(const FigureCurve& c) {
    bool pen_down = false;
    double px = 0, py = 0, last_x = 0, last_y = 0;
    bool skipped = false;
    const auto to = [&](double x, double y) {
      put("{}{:.2f} {:.2f}", pen_down ? "L" : "M", x, y);
      px = x, py = y, pen_down = true;
    };
    for (std::size_t i = 0; i < std::min(c.x.size(), c.y.size()); ++i) {
      if (!x_.shows(c.x[i]) || !y_.shows(c.y[i])) {
        pen_down = skipped = false;
        continue;
      }
      const double x = x_(c.x[i]), y = std::clamp(y_(c.y[i]), -1e4, 1e4);
      if (pen_down && std::hypot(x - px, y - py) < 0.2) {
        last_x = x, last_y = y, skipped = true;
        continue;
      }
      if (skipped && std::hypot(x - last_x, y - last_y) > 1) to(last_x, last_y);
      skipped = false;
      to(x, y);
    }
    if (skipped) to(last_x, last_y);
  }

  void frame() {
    put("<g stroke=\"currentColor\" fill=\"none\" stroke-width=\"1\">\n<rect x=\"{:.2f}\" y=\"{:.2f}\" "
        "width=\"{:.2f}\" height=\"{:.2f}\"/>\n",
        x_.from, y_.to, x_.to - x_.from, y_.from - y_.to);
    const auto tick = [&](const Scale& s, double v, double length) {
      if (&s == &x_)
        put("<path d=\"M{:.2f} {:.2f}v{:g}\"/>\n", x_(v), y_.from, -length);
      else
        put("<path d=\"M{:.2f} {:.2f}h{:g}\"/>\n", x_.from, y_(v), length);
    };
    for (const double v : x_ticks_.at) tick(x_, v, 6);
    for (const double v : x_ticks_.between) tick(x_, v, 3);
    for (const double v : y_ticks_.at) tick(y_, v, 6);
    for (const double v : y_ticks_.between) tick(y_, v, 3);
    put("</g>\n<g fill=\"currentColor\">\n");
    for (std::size_t i = 0; i < x_ticks_.labels.size(); ++i)
      put("<text x=\"{:.2f}\" y=\"{:.2f}\" text-anchor=\"middle\">{}</text>\n", x_(x_ticks_.at[i]), y_.from + 17,
          x_ticks_.labels[i]);
    for (std::size_t i = 0; i < y_ticks_.labels.size(); ++i)
      put("<text x=\"{:.2f}\" y=\"{:.2f}\" text-anchor=\"end\">{}</text>\n", x_.from - 7, y_(y_ticks_.at[i]) + 4.5,
          y_ticks_.labels[i]);
    if (const std::string l = label(f_.x, x_ticks_); !l.empty())
      put("<text x=\"{:.2f}\" y=\"{:.2f}\" text-anchor=\"middle\">{}</text>\n", (x_.from + x_.to) / 2, y_.from + 40, l);
    if (const std::string l = label(f_.y, y_ticks_); !l.empty())
      put("<text transform=\"translate(16 {:.2f}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
          (y_.from + y_.to) / 2, l);
    put("</g>\n");
  }

  // The label with what the ticks leave out: "energy (J) − 9.869604401, × 10⁻¹³".
  static std::string label(const FigureAxis& axis, const Ticks& t) {
    std::string text = escape_markup(axis.label);
    if (t.base != 0) text += fmt::format(" {} {:.10g}", t.base < 0 ? "+" : "−", std::abs(t.base));
    if (t.exponent != 0) text += fmt::format("{} {}", t.base != 0 ? ", in" : "  ×", power_of_ten(t.exponent));
    return text;
  }

  bool shows_legend() const { return f_.curves.size() > 1; }

  void legend() {
    if (!shows_legend()) return;
    const double left = x_.from;
    double x = left, y = top_ - 20 * legend_rows_ + 6;
    for (std::size_t i = 0; i < f_.curves.size(); ++i) {
      const FigureCurve& c = f_.curves[i];
      const double w = 34 + text_width(c.name);
      if (x > left && x - left + w > o_.width - 90) x = left, y += 20;
      if (c.style == FigureCurve::Style::points || c.style == FigureCurve::Style::line_and_points)
        put("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" fill=\"{}\"/>\n", x + 9, y - 4, curve_colour(i));
      if (c.style != FigureCurve::Style::points)
        put("<path d=\"M{:.1f} {:.1f}h18\" stroke=\"{}\" stroke-width=\"2\"{}/>\n", x, y - 4, curve_colour(i),
            c.style == FigureCurve::Style::dashed ? " stroke-dasharray=\"6 4\"" : "");
      put("<text x=\"{:.1f}\" y=\"{:.1f}\" fill=\"currentColor\">{}</text>\n", x + 24, y, escape_markup(c.name));
      x += w;
    }
  }

  const Figure& f_;
  const SvgOptions& o_;
  Scale x_, y_;
  Ticks x_ticks_, y_ticks_;
  double top_ = 0;
  int legend_rows_ = 0;
  std::string text_;
};

}  // namespace

std::string escape_markup(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n') continue;  // XML has no place for them
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out += c;
    }
  }
  return out;
}

const std::string& curve_colour(std::size_t i) {
  static const std::vector<std::string> colours = {"#1f77b4", "#d95f02", "#1b9e77", "#c23b8f",
                                                   "#7570b3", "#b8860b", "#5c9e1f", "#8c564b"};
  return colours[i % colours.size()];
}

std::string svg(const Figure& figure, const SvgOptions& options) { return Drawing(figure, options).str(); }

}  // namespace plumb
