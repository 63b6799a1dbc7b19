# Defines what `cmake --install` installs: the program with its completions, manual page and presets, and the library
# with its public headers, for find_package(Locus) and for pkg-config.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# The program generates its own completions and manual page, so that they always match it.
set(shell ${CMAKE_BINARY_DIR}/shell)
file(MAKE_DIRECTORY ${shell})
add_custom_command(OUTPUT ${shell}/locus.bash ${shell}/_locus ${shell}/locus.fish ${shell}/locus.1.gz
  COMMAND locus_program completion bash > ${shell}/locus.bash
  COMMAND locus_program completion zsh > ${shell}/_locus
  COMMAND locus_program completion fish > ${shell}/locus.fish
  COMMAND locus_program manual > ${shell}/locus.1
  COMMAND gzip -9nf ${shell}/locus.1
  DEPENDS locus_program)
add_custom_target(locus_shell ALL DEPENDS ${shell}/locus.1.gz)

set(library locus)
if(BUILD_SHARED_LIBS)
  set(library locus_shared)
endif()
# Everything that is installed, without tests and benchmarks.
add_custom_target(installable DEPENDS locus_program ${library} locus_shell)
add_custom_target(packageable DEPENDS installable locus_portable)
if(TARGET locus_mpi)
  add_dependencies(installable locus_mpi)
  # Where the program searches: beside its folder, in lib/locus.
  install(TARGETS locus_mpi LIBRARY DESTINATION lib/locus COMPONENT mpi)
  install(FILES LICENSE RENAME copyright COMPONENT mpi DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/locus-mpi)
endif()

install(TARGETS locus_program RUNTIME COMPONENT program)
install(FILES ${shell}/locus.bash RENAME locus COMPONENT program
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
# Debian's zsh searches vendor-completions below /usr. Below /usr/local it searches site-functions, as on any system.
install(CODE "set(zsh_folder site-functions)
if(CMAKE_INSTALL_PREFIX STREQUAL \"/usr\")
  set(zsh_folder vendor-completions)
endif()" COMPONENT program)
install(FILES ${shell}/_locus COMPONENT program DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/\${zsh_folder}")
install(FILES ${shell}/locus.fish COMPONENT program DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
install(FILES ${shell}/locus.1.gz COMPONENT program DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES tools/serve/locus@.service tools/serve/locus@.socket COMPONENT program DESTINATION lib/systemd/system)
install(FILES tools/serve/nginx.conf tools/serve/Caddyfile tools/serve/haproxy.cfg COMPONENT program
  DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/locus/examples)
install(DIRECTORY configs COMPONENT program DESTINATION ${CMAKE_INSTALL_DATADIR}/locus)
install(FILES LICENSE RENAME copyright COMPONENT program DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/locus)

install(TARGETS ${library} EXPORT LocusTargets
  LIBRARY COMPONENT program NAMELINK_COMPONENT development
  ARCHIVE COMPONENT development
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(CODE "set(LOCUS_SOURCE \"${CMAKE_CURRENT_SOURCE_DIR}/src\")
set(LOCUS_INCLUDEDIR \"${CMAKE_INSTALL_INCLUDEDIR}\")
include(\"${CMAKE_CURRENT_SOURCE_DIR}/cmake/InstallHeaders.cmake\")" COMPONENT development)
install(FILES LICENSE RENAME copyright COMPONENT development DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/liblocus-dev)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/Locus)
install(EXPORT LocusTargets NAMESPACE Locus:: COMPONENT development DESTINATION ${package_folder})
configure_package_config_file(cmake/LocusConfig.cmake.in ${CMAKE_BINARY_DIR}/LocusConfig.cmake
  INSTALL_DESTINATION ${package_folder} NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/LocusConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/LocusConfig.cmake ${CMAKE_BINARY_DIR}/LocusConfigVersion.cmake
  COMPONENT development DESTINATION ${package_folder})

# Users of the static library must also link its dependencies. A shared library brings them along.
set(pkgconfig_requires fmt)
if(NOT BUILD_SHARED_LIBS)
  string(APPEND pkgconfig_requires " simdjson libutf8proc libpcre2-8")
endif()
file(RELATIVE_PATH pkgconfig_prefix /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
configure_file(cmake/locus.pc.in ${CMAKE_BINARY_DIR}/locus.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/locus.pc COMPONENT development DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

include(Package)
