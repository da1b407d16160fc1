#include "png.h"

#include <librsvg/rsvg.h>

#include <memory>
#include <stdexcept>

namespace plumb::cli {
namespace {

cairo_status_t append(void* text, const unsigned char* data, unsigned int length) {
  static_cast<std::string*>(text)->append(reinterpret_cast<const char*>(data), length);
  return CAIRO_STATUS_SUCCESS;
}

}  // namespace

std::string png(const std::string& svg, double scale) {
  GError* error = nullptr;
  const std::unique_ptr<RsvgHandle, void (*)(void*)> drawing(
      rsvg_handle_new_from_data(reinterpret_cast<const guint8*>(svg.data()), svg.size(), &error), g_object_unref);
  if (!drawing) throw std::runtime_error(std::string("the plot cannot be drawn: ") + error->message);
  double width = 0, height = 0;
  rsvg_handle_get_intrinsic_size_in_pixels(drawing.get(), &width, &height);
  const std::unique_ptr<cairo_surface_t, void (*)(cairo_surface_t*)> surface(
      cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(scale * width), static_cast<int>(scale * height)),
      cairo_surface_destroy);
  const std::unique_ptr<cairo_t, void (*)(cairo_t*)> pen(cairo_create(surface.get()), cairo_destroy);
  const RsvgRectangle all{0, 0, scale * width, scale * height};
  std::string bytes;
  if (!rsvg_handle_render_document(drawing.get(), pen.get(), &all, &error) ||
      cairo_surface_write_to_png_stream(surface.get(), append, &bytes) != CAIRO_STATUS_SUCCESS)
    throw std::runtime_error("the plot cannot be drawn as PNG");
  return bytes;
}

}  // namespace plumb::cli
