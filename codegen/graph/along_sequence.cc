#include "codegen/graph/along_sequence.h"

#include "codegen/graph/loop_writer.h"

namespace hone::graph {
namespace {

class Walker {
 public:
  using Writer = std::function<Walked(const Places&)>;
  Walker(NodeWriter& nodes, const Walk& walk, const Writer& write_out) : nodes_(nodes), walk_(walk), write_out_(write_out) {}

  Walked run() {
    if (blocks() < 2) return behind(0, walk_.places, walk_.states);
    const Walked repeated = repeat();
    if (rest() == 0) return repeated;
    const Walked left = behind(walk_.from_end ? 0 : covered(), rest(), repeated.states);
    if (walk_.y.empty()) return {kNoValue, left.states};
    return {walk_.from_end ? nodes_.joined({left.y, repeated.y}, walk_.axis) : nodes_.joined({repeated.y, left.y}, walk_.axis), left.states};
  }

 private:
  int64_t blocks() const { return walk_.places / walk_.block; }
  int64_t covered() const { return blocks() * walk_.block; }
  int64_t rest() const { return walk_.places - covered(); }
  // Where the places of the loop begin.
  int64_t begin() const { return walk_.from_end ? rest() : 0; }

  ValueId part(ValueId x, int64_t first, int64_t count) { return count == walk_.places ? x : nodes_.part(x, first, first + count, walk_.axis); }

  Walked behind(int64_t first, int64_t count, std::vector<ValueId> states) {
    Places places{.count = count, .reads = {}, .first = first == 0 ? kNoValue : nodes_.number(DType::kI64, double(first)), .states = std::move(states)};
    for (const Sequence& s : walk_.reads) places.reads.push_back(part(s.value, first, count));
    return write_out_(places);
  }

  // With `extents` in the place of the axis.
  Shape along(Shape shape, const Shape& extents) const {
    const auto at = shape.begin() + walk_.axis;
    shape.insert(shape.erase(at), extents.begin(), extents.end());
    return shape;
  }

  // Of the sequence the block of number `number`.
  ValueId block_of(const Sequence& s, ValueId number) {
    const ValueId all = nodes_.reshaped(part(s.value, begin(), covered()), along(s.shape, {blocks(), walk_.block}));
    return nodes_.add("Gather", {all, number}, {{"axis", walk_.axis}});
  }

  Places places_of_trip(LoopWriter& loop, ValueId number) {
    const ValueId from = nodes_.add("Mul", {number, nodes_.number(DType::kI64, double(walk_.block))});
    Places places{.count = walk_.block, .reads = {}, .first = nodes_.add("Add", {from, nodes_.number(DType::kI64, double(begin()))}), .states = {}};
    for (const Sequence& s : walk_.reads) places.reads.push_back(block_of(s, number));
    for (ValueId state : walk_.states) places.states.push_back(loop.state(state));
    return places;
  }

  Walked repeat() {
    LoopWriter loop(nodes_, walk_.reads[0].value, blocks());
    const ValueId number = walk_.from_end ? nodes_.add("Sub", {nodes_.number(DType::kI64, double(blocks() - 1)), loop.counter()}) : loop.counter();
    const Places places = places_of_trip(loop, number);
    const Walked trip = write_out_(places);
    for (size_t i = 0; i < places.states.size(); i++) loop.follow(places.states[i], trip.states[i]);
    if (!walk_.y.empty()) {
      const Shape shape = along(walk_.y, {blocks(), walk_.block});
      const ValueId y = loop.state(nodes_.zeros(walk_.dtype, shape)), own = nodes_.add("Unsqueeze", {trip.y, nodes_.list({walk_.axis})});
      loop.follow(y, loop.put(y, own, number, blocks(), walk_.axis, shape.size()));
    }
    Walked out{kNoValue, loop.end()};
    if (walk_.y.empty()) return out;
    out.y = nodes_.reshaped(out.states.back(), along(walk_.y, {covered()}));
    out.states.pop_back();
    return out;
  }

  NodeWriter& nodes_;
  const Walk& walk_;
  const Writer& write_out_;
};

}  // namespace

Walked walk(NodeWriter& nodes, const Walk& walk, const std::function<Walked(const Places&)>& write_out) { return Walker(nodes, walk, write_out).run(); }

}  // namespace hone::graph
