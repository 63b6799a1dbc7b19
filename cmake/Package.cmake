# Debian packages: the program, the development files of the library, and the plug-in for MPI if it is built.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/packages)
set(CPACK_PACKAGE_CONTACT "Locus developers <developers@locus.invalid>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL program development)
if(TARGET locus_mpi)
  list(APPEND CPACK_COMPONENTS_ALL mpi)
endif()
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)

set(CPACK_COMPONENT_PROGRAM_DESCRIPTION "The program: compares, shows, trains and applies\n\
position schemes from the command line, with Hugging Face model folders.")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME locus)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)

set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "The C++ library and its headers: position schemes,\n\
attention kernels for them, models with gradients, training, checkpoints.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME liblocus-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS libfmt-dev)
if(BUILD_SHARED_LIBS)
  string(APPEND CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS ", locus (= ${PROJECT_VERSION})")
else()
  string(APPEND CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS ", libsimdjson-dev, libutf8proc-dev, libpcre2-dev")
endif()

set(CPACK_COMPONENT_MPI_DESCRIPTION "The plug-in for MPI: lets mpirun start the program as\n\
several processes that train, compare and embed together.")
set(CPACK_DEBIAN_MPI_PACKAGE_NAME locus-mpi)
set(CPACK_DEBIAN_MPI_PACKAGE_SECTION science)
set(CPACK_DEBIAN_MPI_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_MPI_PACKAGE_DEPENDS "locus (= ${PROJECT_VERSION})")

include(CPack)
