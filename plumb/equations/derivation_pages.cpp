// A derivation as text, LaTeX and HTML.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "plumb/equations/algebra_lock.h"
#include "plumb/equations/derivation.h"

namespace plumb {
namespace {

std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string padded(const std::string& text, std::size_t to) {
  return text + std::string(to - std::min(to, width(text)), ' ');
}

// Long formulas go on in further lines, broken between terms.
std::string wrapped(const std::string& formula, std::size_t indent) {
  constexpr std::size_t limit = 110;
  std::string out, line;
  std::size_t at = 0;
  while (at < formula.size()) {
    std::size_t next = at + 1;
    while (next < formula.size() &&
           !(formula[next] == ' ' && next + 2 < formula.size() &&
             (formula[next + 1] == '+' || formula[next + 1] == '-') && formula[next + 2] == ' '))
      ++next;
    const std::string piece = formula.substr(at, next - at);
    if (!line.empty() && indent + line.size() + piece.size() > limit) {
      out += line + "\n" + std::string(indent, ' ');
      line.clear();
    }
    line += piece;
    at = next;
  }
  return out + line;
}

void text_lines(const std::vector<DerivationLine>& lines, std::string& out) {
  std::size_t label = 0;
  for (const DerivationLine& l : lines)
    if (l.left) label = std::max(label, width(l.label));
  const Script& script = text_script();
  std::string last;
  for (const DerivationLine& l : lines) {
    if (!l.left) {
      out += "  " + l.label + "\n";
      continue;
    }
    std::string formula = script.write(l.left);
    const std::size_t indent = 2 + (label ? label + 2 : 0) + 4;
    if (l.right) formula += " = " + script.write(l.right);
    out += "  " + (label ? padded(l.label == last ? "" : l.label, label + 2) : "") + wrapped(formula, indent) + "\n";
    last = l.label;
  }
}

std::string latex_text(const std::string& s) {
  std::string out;
  for (char c : s) {
    if (c == '_' || c == '%' || c == '&' || c == '#' || c == '$' || c == '{' || c == '}') out += '\\';
    if (c == '^')
      out += "\\^{}";
    else
      out += c;
  }
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"ω", "$\\omega$"}, {"⁽ⁿ⁾", "$^{(n)}$"}, {"ⁿ", "$^n$"}, {"−", "$-$"}, {"·", "$\\cdot$"}})
    for (std::size_t at = 0; (at = out.find(from, at)) != std::string::npos; at += to.size())
      out.replace(at, from.size(), to);
  return out;
}

std::string escaped(const std::string& s) {
  std::string out;
  for (char c : s)
    out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : c == '"' ? "&quot;" : std::string(1, c);
  return out;
}

void latex_lines(const std::vector<DerivationLine>& lines, std::string& out) {
  for (const DerivationLine& l : lines) {
    if (!l.left) {
      out += latex_text(l.label) + "\n\n";
      continue;
    }
    std::string formula = latex_script().write(l.left);
    if (l.right) {
      // Sides that are too long for one line stand below each other.
      const std::size_t left_length = text_script().write(l.left).size();
      const bool is_long = left_length > 24 && left_length + text_script().write(l.right).size() > 80;
      const std::string right = latex_script().write(l.right);
      formula = is_long ? "\\begin{aligned} & " + formula + " \\\\ & \\quad = " + right + " \\end{aligned}"
                        : formula + " = " + right;
    }
    if (!l.label.empty()) out += "\\noindent\\textit{" + latex_text(l.label) + "}\n";
    out += "\\[\n  " + formula + "\n\\]\n";
  }
}

void html_lines(const std::vector<DerivationLine>& lines, std::string& out) {
  std::string last;
  for (const DerivationLine& l : lines) {
    if (!l.left) {
      out += "<p>" + escaped(l.label) + "</p>\n";
      continue;
    }
    std::string formula = "<mrow>" + mathml_script().write(l.left) + "</mrow>";
    if (l.right) formula += "<mo>=</mo><mrow>" + mathml_script().write(l.right) + "</mrow>";
    out += fmt::format("<div class='line'><span class='label'>{}</span><math display='block'>{}</math></div>\n",
                       l.label == last ? "" : escaped(l.label), formula);
    last = l.label;
  }
}

std::string html_section(const DerivationSection& s) {
  std::string out;
  if (!s.sentence.empty()) out += "<p>" + escaped(s.sentence) + "</p>\n";
  html_lines(s.lines, out);
  if (!s.table.empty()) {
    out += "<table>\n<tr>";
    for (std::size_t i = 0; i < s.table.head.size(); ++i)
      out += "<th>" + (i == 0 ? "" : "<math>" + mathml_name(s.table.head[i]) + "</math>") + "</th>";
    out += "</tr>\n";
    for (const auto& row : s.table.rows) {
      out += "<tr>";
      for (const std::string& c : row) out += "<td>" + escaped(c) + "</td>";
      out += "</tr>\n";
    }
    out += "</table>\n";
  }
  html_lines(s.after, out);
  return out;
}

constexpr const char* page_style =
    "body{font:16px/1.5 Georgia,serif;max-width:60rem;margin:2.5rem auto;padding:0 "
    "1.2rem;color:#1a1a1a;background:#fff}"
    "h1{font-size:1.6rem;margin-bottom:.2rem}h2{font-size:1.15rem;margin-top:2rem;border-bottom:1px solid "
    "#ddd;padding-bottom:.2rem}"
    "p{margin:.5rem 0}.line{display:flex;align-items:baseline;gap:1rem;margin:.2rem 0;padding:.15rem "
    "0;overflow-x:auto;overflow-y:hidden}"
    ".label{flex:0 0 11rem;color:#666;font:13px/1.4 system-ui,sans-serif}math{font-size:1.1rem;margin:0}"
    "math[display=block]{display:block math;text-align:left}mtable.sum mtd{text-align:left;padding:.1em 0}"
    "table{border-collapse:collapse;margin:.8rem 0;font:14px/1.4 system-ui,sans-serif}td,th{padding:.15rem "
    ".7rem;text-align:center;"
    "border-bottom:1px solid #eee}td:first-child,th:first-child{text-align:left;color:#666}"
    "@media(prefers-color-scheme:dark){body{background:#15171a;color:#e4e4e4}h2{border-color:#333}.label,td:first-"
    "child{color:#999}"
    "td,th{border-color:#2a2d31}}@media(max-width:40rem){.line{display:block}}";

}  // namespace

std::string as_text(const Derivation& d) {
  const AlgebraLock lock;
  std::string out = d.title + "\n";
  for (const DerivationSection& s : d.sections) {
    out += "\n" + s.title + "\n" + std::string(width(s.title), '-') + "\n";
    if (!s.sentence.empty()) out += s.sentence + "\n";
    if (!s.lines.empty()) out += "\n";
    text_lines(s.lines, out);
    if (!s.table.empty()) {
      std::vector<std::size_t> widths(s.table.head.size());
      auto rows = s.table.rows;
      rows.insert(rows.begin(), s.table.head);
      for (const auto& row : rows)
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width(row[i]));
      out += "\n";
      for (const auto& row : rows) {
        std::string line = "  ";
        for (std::size_t i = 0; i < row.size(); ++i) line += padded(row[i], widths[i] + 2);
        out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
      }
    }
    if (!s.after.empty()) out += "\n";
    text_lines(s.after, out);
  }
  return out;
}

std::string as_latex(const Derivation& d) {
  const AlgebraLock lock;
  std::string out =
      "\\documentclass[fleqn]{article}\n\\usepackage[utf8]{inputenc}\n\\usepackage{amsmath}\n"
      "\\usepackage[a4paper,margin=22mm]{geometry}\n\\setlength{\\mathindent}{0pt}\n"
      "\\begin{document}\n\\section*{" +
      latex_text(d.title) + "}\n";
  for (const DerivationSection& s : d.sections) {
    out += "\n\\subsection*{" + latex_text(s.title) + "}\n" + latex_text(s.sentence) + "\n\n";
    latex_lines(s.lines, out);
    if (!s.table.empty()) {
      out += "\\medskip\\noindent\\begin{tabular}{l" + std::string(s.table.head.size() - 1, 'c') + "}\n";
      std::vector<std::string> head;
      for (std::size_t i = 0; i < s.table.head.size(); ++i)
        head.push_back(i == 0 ? "" : "$" + latex_name(s.table.head[i]) + "$");
      out += fmt::format("  {} \\\\ \\hline\n", fmt::join(head, " & "));
      for (const auto& row : s.table.rows) {
        std::vector<std::string> cells;
        for (const std::string& c : row) cells.push_back(latex_text(c));
        out += fmt::format("  {} \\\\\n", fmt::join(cells, " & "));
      }
      out += "\\end{tabular}\n\n";
    }
    latex_lines(s.after, out);
  }
  return out + "\\end{document}\n";
}

std::string as_html(const Derivation& d) {
  const AlgebraLock lock;
  std::string out = fmt::format(
      "<!doctype html>\n<html lang='en'>\n<head>\n<meta charset='utf-8'>\n<meta name='viewport' "
      "content='width=device-width,initial-scale=1'>\n<title>{0}</title>\n<style>{1}</style>\n</"
      "head>\n<body>\n<h1>{0}</h1>\n",
      escaped(d.title), page_style);
  for (const DerivationSection& s : d.sections) out += "<h2>" + escaped(s.title) + "</h2>\n" + html_section(s);
  return out + "</body>\n</html>\n";
}

std::string as_html_fragment(const Derivation& d) {
  const AlgebraLock lock;
  std::string out;
  for (const DerivationSection& s : d.sections)
    out += fmt::format("<details{}><summary>{}</summary>\n{}</details>\n", out.empty() ? " open" : "", escaped(s.title),
                       html_section(s));
  return out;
}

}  // namespace plumb
