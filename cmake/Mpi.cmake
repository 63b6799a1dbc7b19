# The plug-in for MPI, liblocus-mpi.so, beside the program. It is compiled if an MPI library with its headers is
# installed, for example libopenmpi-dev or libmpich-dev. The program does not depend on it.
set(LOCUS_MPI AUTO CACHE STRING "Compile the plug-in for MPI: AUTO (if an MPI library is found), ON or OFF")
set_property(CACHE LOCUS_MPI PROPERTY STRINGS AUTO ON OFF)

# add_mpi_plugin(TARGET SOURCE)
function(add_mpi_plugin target source)
  if(LOCUS_FUZZ OR CMAKE_CROSSCOMPILING OR NOT LOCUS_MPI)
    return()
  endif()
  set(MPI_CXX_SKIP_MPICXX ON)  # only the interface in C is used
  if(LOCUS_MPI STREQUAL AUTO)
    find_package(MPI QUIET COMPONENTS CXX)
  else()
    find_package(MPI REQUIRED COMPONENTS CXX)
  endif()
  if(NOT MPI_CXX_FOUND)
    message(STATUS "MPI plug-in: none, no MPI library was found")
    return()
  endif()
  message(STATUS "MPI plug-in: compiled with ${MPI_CXX_COMPILER}")
  add_library(${target} MODULE ${source})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME locus-mpi CXX_VISIBILITY_PRESET hidden
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${target} PRIVATE MPI::MPI_CXX locus_compiler)
  target_link_options(${target} PRIVATE -Wl,--as-needed)  # not the library for C++
endfunction()
