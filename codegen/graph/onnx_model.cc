#include "codegen/graph/onnx_model.h"

#include "base/cat.h"
#include "codegen/graph/limits.h"
#include "codegen/graph/onnx_wire.h"
#include "codegen/te/bad_model.h"

namespace hone::graph {
namespace {

// A message that comes twice where one is expected is joined, and of a number or text the last holds, as protobuf has it.
class OnnxParser {
 public:
  bool take(std::string_view bytes, OnnxModel& out);
  bool take(std::string_view bytes, OnnxTensor& out);
  bool is_within_limits() const { return depth_ <= kNestingMax && messages_ <= kMessagesMax; }

 private:
  bool take(std::string_view bytes, OnnxGraph& out);
  bool take(std::string_view bytes, OnnxFunction& out);
  bool take(std::string_view bytes, OnnxNode& out);
  bool take(std::string_view bytes, OnnxAttribute& out);
  bool take(std::string_view bytes, OnnxSparseTensor& out);
  bool take(std::string_view bytes, OnnxValueInfo& out);
  bool take(std::string_view bytes, OnnxType& out);
  bool take(std::string_view bytes, OnnxDimension& out);
  bool take(std::string_view bytes, OnnxOpset& out);
  bool take(std::string_view bytes, OnnxEntry& out);
  bool take_tensor_type(std::string_view bytes, OnnxType& out);
  bool take_element_type(std::string_view bytes, OnnxType& out);
  bool take_shape(std::string_view bytes, OnnxType& out);

  // The fields of one message. take_one(field): false where it is damaged.
  template <class TakeOne>
  bool each_field(std::string_view bytes, const TakeOne& take_one) {
    if (++depth_ > kNestingMax || ++messages_ > kMessagesMax) return false;
    WireReader reader(bytes);
    for (WireField field; reader.next(field);)
      if (!take_one(field)) return false;
    depth_--;
    return reader.is_sound();
  }
  template <class Message>
  bool message(const WireField& field, Message& out) {
    return field.type == WireType::kBytes && take(field.bytes, out);
  }
  template <class Message>
  bool held(const WireField& field, std::unique_ptr<Message>& out) {
    if (!out) out = std::make_unique<Message>();
    return message(field, *out);
  }
  template <class Message>
  bool added(const WireField& field, std::vector<Message>& out) {
    return message(field, out.emplace_back());
  }
  static bool added(const WireField& field, std::vector<std::string_view>& out) {
    return read_field(field, out.emplace_back());
  }

  size_t depth_ = 0, messages_ = 0;
};

bool OnnxParser::take(std::string_view bytes, OnnxModel& out) {
  return each_field(bytes, [&](const WireField& f) {
    switch (f.number) {
      case 7:
        if (!out.graph) out.graph.emplace();
        return message(f, *out.graph);
      case 8:
        return added(f, out.opsets);
      case 25:
        return added(f, out.functions);
      default:
        return true;
    }
  });
}

bool OnnxParser::take(std::string_view bytes, OnnxGraph& out) {
  return each_field(bytes, [&](const WireField& f) {
    switch (f.number) {
      case 1:
        return added(f, out.nodes);
      case 2:
        return read_field(f, out.name);
      case 5:
        return added(f, out.initialisers);
      case 11:
        return added(f, out.inputs);
      case 12:
        return added(f, out.outputs);
      case 15:
        return added(f, out.sparse_initialisers);
      default:
        return true;
    }
  });
}

bool OnnxParser::take(std::string_view bytes, OnnxFunction& out) {
  return each_field(bytes, [&](const WireField& f) {
    switch (f.number) {
      case 1:
        return read_field(f, out.name);
      case 4:
        return added(f, out.inputs);
      case 5:
        return added(f, out.outputs);
      case 7:
        return added(f, out.nodes);
      case 9:
        return added(f, out.opsets);
      case 10:
        return read_field(f, out.domain);
      case 11:
        return added(f, out.defaults);
      case 13:
        return read_field(f, out.overload);
      default:
        return true;
    }
  });
}

bool OnnxParser::take(std::string_view bytes, OnnxNode& out) {
  return each_field(bytes, [&](const WireField& f) {
    switch (f.number) {
      case 1:
        return added(f, out.inputs);
      case 2:
        return added(f, out.outputs);
      case 3:
        return read_field(f, out.name);
      case 4:
        return read_field(f, out.op_type);
      case 5:
        return added(f, out.attributes);
      case 7:
        return read_field(f, out.domain);
      case 8:
        return read_field(f, out.overload);
      default:
        return true;
    }
  });
}

OnnxAttributeType attribute_type(int64_t number) {
  const bool is_list_of_others = (number >= 9 && number <= 10) || number == 12 || number < 0 || number > 13;
  return is_list_of_others ? OnnxAttributeType::kOther : static_cast<OnnxAttributeType>(number);
}

bool OnnxParser::take(std::string_view bytes, OnnxAttribute& out) {
  return each_field(bytes, [&](const WireField& f) {
    int64_t type = 0;
    switch (f.number) {
      case 1:
        return read_field(f, out.name);
      case 2:
        return read_field(f, out.number);
      case 3:
        return read_field(f, out.integer);
      case 4:
        return read_field(f, out.text);
      case 5:
        return held(f, out.tensor);
      case 6:
        return held(f, out.graph);
      case 7:
        return append_field(f, out.numbers);
      case 8:
        return append_field(f, out.integers);
      case 9:
        return added(f, out.texts);
      case 14:
        return held(f, out.value_type);
      case 20:
        if (!read_field(f, type)) return false;
        out.type = attribute_type(type);
        return true;
      case 21:
        return read_field(f, out.ref_name);
      case 22:
        return held(f, out.sparse_tensor);
      default:
        return true;
    }
  });
}

bool OnnxParser::take(std::string_view bytes, OnnxTensor& out) {
  out.message = bytes;
  return each_field(bytes, [&](const WireField& f) {
    int64_t location = 0;
    switch (f.number) {
      case 1:
        return append_field(f, out.dims);
      case 2:
        return read_field(f, out.data_type);
      case 8:
        return read_field(f, out.name);
      case 9:
        return read_field(f, out.raw_data.emplace());
      case 13:
        return added(f, out.external_data);
      case 14:
        if (!read_field(f, location)) return false;
        out.is_external = location == 1;
        return true;
      default:
        return true;
    }
  });
}

bool OnnxParser::take(std::string_view bytes, OnnxSparseTensor& out) {
  return each_field(bytes, [&](const WireField& f) {
    switch (f.number) {
      case 1:
        return message(f, out.values);
      case 2:
        return message(f, out.indices);
      case 3:
        return append_field(f, out.dims);
      default:
        return true;
    }
  });
}

bool OnnxParser::take(std::string_view bytes, OnnxValueInfo& out) {
  return each_field(bytes, [&](const WireField& f) {
    return f.number == 1 ? read_field(f, out.name) : f.number == 2 ? message(f, out.type) : true;
  });
}

bool OnnxParser::take(std::string_view bytes, OnnxType& out) {
  return each_field(bytes, [&](const WireField& f) {
    const bool is_kind = f.number != 6;  // which is a denotation
    if (is_kind && f.type != WireType::kBytes) return false;
    switch (f.number) {
      case 1:
        out.kind = OnnxType::kTensor;
        return take_tensor_type(f.bytes, out);
      case 4:
        out.kind = OnnxType::kSequence;
        return take_element_type(f.bytes, out);
      case 9:
        out.kind = OnnxType::kOptional;
        return take_element_type(f.bytes, out);
      default:
        if (is_kind) out.kind = OnnxType::kOther;
        return true;
    }
  });
}

bool OnnxParser::take_tensor_type(std::string_view bytes, OnnxType& out) {
  return each_field(bytes, [&](const WireField& f) {
    if (f.number == 1) return read_field(f, out.elem_type);
    return f.number != 2 || (f.type == WireType::kBytes && take_shape(f.bytes, out));
  });
}

bool OnnxParser::take_element_type(std::string_view bytes, OnnxType& out) {
  return each_field(bytes, [&](const WireField& f) { return f.number != 1 || held(f, out.element); });
}

bool OnnxParser::take_shape(std::string_view bytes, OnnxType& out) {
  if (!out.shape) out.shape.emplace();
  return each_field(bytes, [&](const WireField& f) { return f.number != 1 || added(f, *out.shape); });
}

bool OnnxParser::take(std::string_view bytes, OnnxDimension& out) {
  return each_field(bytes, [&](const WireField& f) {
    if (f.number == 1) return read_field(f, out.value.emplace());
    if (f.number != 2) return true;
    out.value.reset();
    return read_field(f, out.param);
  });
}

bool OnnxParser::take(std::string_view bytes, OnnxOpset& out) {
  return each_field(bytes, [&](const WireField& f) {
    return f.number == 1 ? read_field(f, out.domain) : f.number == 2 ? read_field(f, out.version) : true;
  });
}

bool OnnxParser::take(std::string_view bytes, OnnxEntry& out) {
  return each_field(bytes, [&](const WireField& f) {
    return f.number == 1 ? read_field(f, out.key) : f.number == 2 ? read_field(f, out.value) : true;
  });
}

template <class Message>
Result<Message> parse(std::string_view bytes, const char* name, const char* remedy) {
  OnnxParser parser;
  Message out;
  if (parser.take(bytes, out)) return out;
  if (parser.is_within_limits()) return te::bad_model(cat("these ", bytes.size(), " bytes are not ", name, remedy));
  return Error{ErrorCode::kLimitExceeded,
               cat("the file is nested deeper than ", kNestingMax, " or has more than ", kMessagesMax,
                   " parts, nodes, attributes and tensors taken together; cut the model in several")};
}

}  // namespace

Result<OnnxModel> parse_onnx_model(std::string_view bytes) {
  return parse<OnnxModel>(bytes, "a complete ONNX model", "; export or download the file again");
}
Result<OnnxTensor> parse_onnx_tensor(std::string_view bytes) { return parse<OnnxTensor>(bytes, "an ONNX tensor", ""); }

}  // namespace hone::graph
