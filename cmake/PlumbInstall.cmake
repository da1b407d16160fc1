# make install: the command, the library with its headers, the published cases, and find_package(plumb).
include(CMakePackageConfigHelpers)

install(TARGETS plumb_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS plumb EXPORT plumb ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(
  DIRECTORY plumb
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING
  PATTERN "*.h"
  PATTERN "*.def")
install(DIRECTORY cases DESTINATION ${CMAKE_INSTALL_DATADIR}/plumb)

set(PLUMB_PACKAGE ${CMAKE_INSTALL_LIBDIR}/cmake/plumb)
install(EXPORT plumb NAMESPACE plumb:: DESTINATION ${PLUMB_PACKAGE} FILE plumbTargets.cmake)
configure_package_config_file(cmake/plumbConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/plumbConfig.cmake
                              INSTALL_DESTINATION ${PLUMB_PACKAGE})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/plumbConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/plumbConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/plumbConfigVersion.cmake
        DESTINATION ${PLUMB_PACKAGE})
