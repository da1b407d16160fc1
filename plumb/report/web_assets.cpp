#include "plumb/report/web_assets.h"

// The assembler takes the files in as they are; half a megabyte of array literals would take the compiler seconds.
// PLUMB_WEB_DIST is where web/build.mjs wrote them.
#define PLUMB_INCLUDE_FILE(symbol, file)                                                    \
  asm(".pushsection .rodata\n.global " #symbol "_begin\n.global " #symbol "_end\n" #symbol  \
      "_begin:\n"                                                                           \
      ".incbin \"" PLUMB_WEB_DIST "/" file "\"\n" #symbol "_end:\n.byte 0\n.popsection\n"); \
  extern "C" __attribute__((visibility("hidden"))) const char symbol##_begin[], symbol##_end[];

PLUMB_INCLUDE_FILE(plumb_page_script, "page.js")
PLUMB_INCLUDE_FILE(plumb_page_style, "page.css")

namespace plumb {

std::string_view page_script() { return {plumb_page_script_begin, plumb_page_script_end}; }
std::string_view page_style() { return {plumb_page_style_begin, plumb_page_style_end}; }

}  // namespace plumb
