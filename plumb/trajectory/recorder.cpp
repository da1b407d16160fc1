#include "plumb/trajectory/recorder.h"

namespace plumb {

Recorder::Recorder(const System* system, const std::vector<Event>& events, Gauge& gauge, RowSink sink)
    : system_(system), channels_(gauge.channels()), events_(events), gauge_(gauge), sink_(std::move(sink)) {
  std::vector<std::string> names;
  for (const Channel& c : channels_) names.push_back(c.name);
  row_.resize(names.size());
  trajectory_ = Trajectory(std::move(names));
}

void Recorder::measure(double t, const double* y) {
  gauge_.look_at(t, y);
  for (std::size_t i = 0; i < channels_.size(); ++i) row_[i] = gauge_.value(channels_[i]);
}

void Recorder::on_sample(const Moment& moment) {
  measure(moment.t, moment.y);
  trajectory_.append(row_);
  if (sink_) sink_(row_);
}

void Recorder::on_event(const Occurrence& occurrence) {
  measure(occurrence.t, occurrence.y);
  records_.push_back({events_[occurrence.event].name, occurrence.t, occurrence.rising, row_});
}

void Recorder::on_impact(const Impact& impact) {
  std::vector<std::string> bodies;
  for (int b : {impact.from, impact.to})
    if (b >= 0) bodies.push_back(system_->members[b].name);
  impacts_.push_back({system_->contacts[impact.contact], bodies, impact});
}

}  // namespace plumb
