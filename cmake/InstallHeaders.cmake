# Runs during `cmake --install`: installs the headers that the faces of the library, locus.h and fast.h, include,
# directly or through others. Other headers are not for users. LOCUS_SOURCE is the folder that contains locus/, and
# LOCUS_INCLUDEDIR the include folder below the prefix.
# Users need only the headers of the standard library and of fmt: a public header that includes others is an error.
set(headers locus/locus.h locus/fast.h)
set(index 0)
list(LENGTH headers count)
while(index LESS count)
  list(GET headers ${index} header)
  file(STRINGS ${LOCUS_SOURCE}/${header} includes REGEX "^[ \t]*#[ \t]*include")
  foreach(include IN LISTS includes)
    if(include MATCHES "\"(locus/[^\"]+)\"")
      list(APPEND headers ${CMAKE_MATCH_1})
    elseif(NOT include MATCHES "<(fmt/[a-z]+[.]h|[a-z_]+)>")
      message(FATAL_ERROR "${header} is installed and has ${include}, expected the standard library or fmt")
    endif()
  endforeach()
  list(REMOVE_DUPLICATES headers)
  list(LENGTH headers count)
  math(EXPR index "${index} + 1")
endwhile()

foreach(header IN LISTS headers)
  get_filename_component(folder ${header} DIRECTORY)
  file(INSTALL ${LOCUS_SOURCE}/${header} DESTINATION ${CMAKE_INSTALL_PREFIX}/${LOCUS_INCLUDEDIR}/${folder})
endforeach()
