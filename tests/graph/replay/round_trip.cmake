# SPDX-License-Identifier: Apache-2.0
# cmake -DREPLAY=program -DFILE=graph.json -DFOLDER=folder -P round_trip.cmake
# What the library dumps while a graph is replayed can be replayed as well: the graph, the graph
# with its partitions, and each partition.
file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})
set(ENV{ONEDNN_GRAPH_DUMP} graph,subgraph)
execute_process(COMMAND ${REPLAY} ${FILE} WORKING_DIRECTORY ${FOLDER} COMMAND_ERROR_IS_FATAL ANY)
file(GLOB dumped ${FOLDER}/graph-*.json)
list(LENGTH dumped count)
if(count LESS 3)
    message(FATAL_ERROR "only ${count} files: ${dumped}")
endif()
set(ENV{ONEDNN_GRAPH_DUMP} "")
execute_process(COMMAND ${REPLAY} ${dumped} WORKING_DIRECTORY ${FOLDER} OUTPUT_VARIABLE output
    RESULT_VARIABLE result)
message("${output}")
if(result OR NOT output MATCHES "\n${count} passed, 0 refused, 0 failed")
    message(FATAL_ERROR "not all of the ${count} files pass")
endif()
