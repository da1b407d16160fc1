# plumb_stage(NAME folder SOURCES ... DEPENDS stages ... LINK libraries ... PRECOMPILE headers ...)
# One stage of the library: an object library plumb_<folder>, gathered into plumb::plumb by plumb/CMakeLists.txt.

add_library(plumb_options INTERFACE)
target_compile_features(plumb_options INTERFACE cxx_std_20)
target_compile_options(plumb_options INTERFACE -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion
                       # GCC 12 reports overlapping copies inside std::string's operator+ that do not exist.
                       $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
                       $<$<BOOL:${PLUMB_WERROR}>:-Werror>)
# sqrt without errno; short loops stay loops instead of calls of memcpy and memset. Results are unaffected.
target_compile_options(plumb_options INTERFACE -fno-math-errno $<$<CXX_COMPILER_ID:GNU>:-fno-tree-loop-distribute-patterns>)
target_include_directories(plumb_options INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_definitions(plumb_options INTERFACE PLUMB_VERSION="${PROJECT_VERSION}")

# What nearly all files of a target include takes most of the time to compile one. With headers precompiled GCC 12 sees
# lengths in std::string's operator+ that cannot be.
function(plumb_precompile target)
  target_precompile_headers(${target} PRIVATE ${ARGN})
  target_compile_options(${target} PRIVATE "$<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow;-Wno-stringop-overread;-Wno-array-bounds>")
endfunction()

set_property(GLOBAL PROPERTY PLUMB_STAGES "")

function(plumb_stage name)
  cmake_parse_arguments(STAGE "" "" "SOURCES;DEPENDS;LINK;PRECOMPILE" ${ARGN})
  add_library(plumb_${name} OBJECT ${STAGE_SOURCES})
  list(TRANSFORM STAGE_DEPENDS PREPEND plumb_)
  target_link_libraries(plumb_${name} PUBLIC plumb_options Eigen3::Eigen fmt::fmt ${STAGE_DEPENDS} ${STAGE_LINK})
  set_target_properties(plumb_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  if(STAGE_PRECOMPILE)
    plumb_precompile(plumb_${name} ${STAGE_PRECOMPILE})
  endif()
  set_property(GLOBAL APPEND PROPERTY PLUMB_STAGES plumb_${name})
endfunction()
