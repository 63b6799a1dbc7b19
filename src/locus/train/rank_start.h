// How the ranks of a training run start and save together. Only rank 0 reads and writes the run folder: the
// others get parameters and moments from it, and send it their moments for a checkpoint, tensor by tensor.
#pragma once

#include "locus/dist/handshake.h"
#include "locus/run/run_folder.h"
#include "locus/train/optimizer.h"
#include "locus/train/rank_exchange.h"
#include "locus/train/trainer.h"

namespace locus {

// What must be the same on all ranks: version, device, configuration, data files, names and shapes of the
// parameters. Paths may differ.
dist::Facts facts_of(const TrainJob& job);
// The checksum of each parameter.
dist::Facts checksums_of(const Parameters& parameters);

// Moments that rank 0 reads from a checkpoint and passes to their owners. After the last one, rank 0 calls
// end_moments(); the others call receive_moments().
AdamW::PassMoment moment_sender(const RankExchange& exchange);
void end_moments(const RankExchange& exchange);
void receive_moments(const RankExchange& exchange, AdamW& optimizer);

// Every rank gets the progress and the parameters of rank 0, also the frozen ones.
void share_progress(const RankExchange& exchange, RunState& state, Parameters& parameters, AdamW& optimizer);

// Moments that rank 0 writes to a checkpoint and fetches from their owners. After the last one, rank 0 calls
// end_fetches(); the others call serve_moments().
AdamW::FetchMoment moment_fetcher(const RankExchange& exchange, AdamW& optimizer);
void end_fetches(const RankExchange& exchange);
void serve_moments(const RankExchange& exchange, AdamW& optimizer);

}  // namespace locus
