# Kernels for NVIDIA GPUs: nvcc compiles every .cu file of a folder to a fatbin, which is embedded in the library.
# Only device code is compiled this way; the code that calls it is C++ like any other. Without nvcc Locus is the same,
# without these kernels.
set(LOCUS_CUDA AUTO CACHE STRING "Compile kernels for NVIDIA GPUs: AUTO (if nvcc is found), ON or OFF")
set_property(CACHE LOCUS_CUDA PROPERTY STRINGS AUTO ON OFF)

# Ampere and later GPUs, Hopper's own instructions, and PTX that the driver compiles for GPUs to come.
set(LOCUS_CUDA_TARGETS
  -gencode arch=compute_80,code=[sm_80,compute_80] -gencode arch=compute_90a,code=sm_90a)
set(LOCUS_CUDA_FLAGS
  -std=c++20 -O3 --expt-relaxed-constexpr -Werror all-warnings -I${PROJECT_SOURCE_DIR}/src)

# embed_kernels(SOURCE FOLDER): SOURCE is the C++ file that embeds the fatbins of FOLDER/*.cu
function(embed_kernels source folder)
  if(LOCUS_FUZZ OR NOT LOCUS_CUDA)  # no fuzz target uses kernels
    message(STATUS "GPU kernels: none, LOCUS_CUDA is off")
    return()
  endif()
  # First that of ./run cuda-toolkit.
  find_program(LOCUS_NVCC nvcc HINTS ${PROJECT_SOURCE_DIR}/build/cuda-toolkit/nvidia/cu13/bin ENV CUDA_PATH
    PATHS /usr/local/cuda/bin PATH_SUFFIXES bin)
  if(NOT LOCUS_NVCC)
    if(LOCUS_CUDA STREQUAL AUTO)
      message(STATUS "GPU kernels: none, nvcc was not found; ./run cuda-toolkit downloads it")
      return()
    endif()
    message(FATAL_ERROR "LOCUS_CUDA is ON, but nvcc was not found; ./run cuda-toolkit downloads it")
  endif()
  message(STATUS "GPU kernels: compiled by ${LOCUS_NVCC}")
  set(fatbins ${CMAKE_BINARY_DIR}/fatbins)
  file(MAKE_DIRECTORY ${fatbins})
  file(GLOB devices CONFIGURE_DEPENDS ${folder}/*.cu)
  foreach(device IN LISTS devices)
    cmake_path(GET device STEM name)
    add_custom_command(OUTPUT ${fatbins}/${name}.fatbin
      COMMAND ${PROJECT_SOURCE_DIR}/tools/fatbin.sh ${LOCUS_NVCC} ${fatbins}/${name}.txt -fatbin ${LOCUS_CUDA_FLAGS} ${LOCUS_CUDA_TARGETS} -MD -MF ${fatbins}/${name}.d
        ${device} -o ${fatbins}/${name}.fatbin
      DEPENDS ${device} DEPFILE ${fatbins}/${name}.d COMMENT "Compiling GPU kernels of ${name}.cu" VERBATIM)
    list(APPEND outputs ${fatbins}/${name}.fatbin)
  endforeach()
  set_source_files_properties(${source} PROPERTIES
    COMPILE_DEFINITIONS LOCUS_FATBINS="${fatbins}" OBJECT_DEPENDS "${outputs}")
endfunction()
