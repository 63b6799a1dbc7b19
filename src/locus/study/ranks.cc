#include "locus/study/ranks.h"

#include <algorithm>

#include "locus/dist/handshake.h"
#include "locus/kernel/processor.h"
#include "locus/study/cell_job.h"
#include "locus/study/cell_queue.h"
#include "locus/study/study_folder.h"

namespace locus::study {
namespace {

dist::Facts facts_of(const Study& study) {
  const Device device = study.conditions.device;
  dist::Facts facts = dist::machine_facts(device, processor_of(device));
  facts.emplace_back("text", study.text.empty() ? "none" : study.task_list().front()->text->identity);
  return facts;
}

class Run {
 public:
  Run(const Study& study, const StudyFolder& folder, const Watcher& watcher, dist::Transport& transport)
      : study_(study),
        folder_(folder),
        watcher_(watcher),
        crew_(transport, watcher.stop),
        queue_(study, transport.size() > 1),
        given_(transport.size()) {}

  std::vector<Cell> cells() {
    find();
    try {
      work();
    } catch (const dist::Stop& stop) {
      for (const auto& answer : crew_.dismiss(stop.number)) take(answer);
      throw;
    }
    crew_.dismiss(0);
    std::vector<Cell> list;
    for (const CellName& name : study_.cells()) list.push_back(std::move(done_.at(name.text())));
    return list;
  }

 private:
  void find() {
    for (const CellName& name : study_.cells()) {
      std::optional<Cell> cell = folder_.find(name);
      if (cell) queue_.learn(*cell);
      if (cell && has_all_lengths(study_, *cell)) {
        note(std::move(*cell), false);
      } else {
        queue_.add(name, cell.has_value());
      }
    }
  }

  void work() {
    while (true) {
      hand_out();
      if (!queue_.empty()) {
        CellJob job = next();
        const CellName name = job.name;
        finish(compute(study_, std::move(job), [&](double fraction) { look(name, fraction); }));
      } else if (crew_.is_busy()) {
        take(crew_.wait());
      } else {
        return;
      }
    }
  }

  // Between the steps of a cell of this rank.
  void look(const CellName& name, double fraction) {
    while (const auto answer = crew_.arrived()) {
      take(*answer);
      hand_out();
    }
    if (watcher_.progress) watcher_.progress(name, fraction);
  }

  CellJob next() {
    CellJob job{.name = queue_.take()};
    job.known = folder_.find(job.name);
    if (job.known) job.model = std::make_unique<Model>(folder_.model(job.name));
    return job;
  }

  void hand_out() {
    for (auto rank = crew_.free_rank(); rank && !queue_.empty(); rank = crew_.free_rank()) {
      const CellJob job = next();
      given_[*rank] = job.name;
      crew_.give(*rank, encode(job));
    }
  }

  void take(const dist::Crew::Answer& answer) {
    finish(decode_finished(study_, given_[answer.rank], answer.bytes, fmt::format("rank {}", answer.rank)));
  }

  void finish(Finished finished) {
    folder_.keep(finished);
    queue_.learn(finished.cell);
    note(std::move(finished.cell), true);
  }

  void note(Cell cell, bool computed) {
    if (watcher_.finished) watcher_.finished(cell, computed);
    done_.insert_or_assign(cell.name.text(), std::move(cell));
  }

  const Study& study_;
  const StudyFolder& folder_;
  const Watcher& watcher_;
  dist::Crew crew_;
  CellQueue queue_;
  std::vector<CellName> given_;  // to each rank
  std::map<std::string, Cell> done_;
};

}  // namespace

std::vector<Cell> run(const Study& study, const std::filesystem::path& folder, const Watcher& watcher,
                      dist::Transport& transport) {
  check(study);
  const StudyFolder claimed(study, folder);
  if (transport.size() > 1) {
    dist::broadcast_text(transport, study_toml(study));
    dist::require_same(transport, facts_of(study));
  }
  return Run(study, claimed, watcher, transport).cells();
}

std::vector<Cell> run(const Study& study, const std::filesystem::path& folder, const Watcher& watcher) {
  return run(study, folder, watcher, *dist::open_alone());
}

int help(dist::Transport& transport, Device device, const dist::StopAsked& stop) {
  Study study = study_of(Settings::parse(dist::broadcast_text(transport, ""), "study"), "study");
  study.conditions.device = device;
  dist::require_same(transport, facts_of(study));
  const auto compute_cell = [&](dist::ConstBytes job, const dist::Pause& pause) {
    return encode(compute(study, decode_job(study, job), [&](double) { pause(); }));
  };
  return dist::serve(transport, compute_cell, stop);
}

}  // namespace locus::study
