#include "rigor/io/recording.hpp"

#include <zlib.h>

#include "rigor/base/diagnostic.hpp"
#include "rigor/io/byte_stream.hpp"

namespace rigor {
namespace {

// `real` are the types of coordinates and points, `rough` of what else a contact has.
std::vector<ChannelInfo> make_channels(const char* real, const char* rough) {
  const std::vector<std::string> xyz{"x", "y", "z"};
  std::vector<ChannelInfo> channels{
      {0, "time", "f8", 1, {}, "s"},
      {0, "step", "i8", 1, {}, "steps taken"},
      {0, "step_length", "f8", 1, {}, "of the last step, s"},
      {0, "hash", "u8", 1, {}, "of the whole state"},
      {0, "q", real, 1, {}, "coordinates, in the order of the bodies; m, rad, quaternions w x y z"},
      {0, "v", real, 1, {}, "speeds, m/s and rad/s"},
      {0, "motion_force", "f8", 1, {}, "of the scene's motions, N or N m"},
      {0,
       "certificate",
       "f8",
       1,
       {kCertificateFields.begin(), kCertificateFields.end()},
       "worst since the frame before"},
      {0,
       "energy",
       "f8",
       1,
       {kEnergyFields.begin(), kEnergyFields.end()},
       "J; the ledger summed from the beginning"},
      {0, "contact.key", "key", 1, {}, "the same while the same features touch"},
      {0, "contact.bodies", "i4", 2, {"a", "b"}, "0 is the world, then in the order of the model"},
      {0, "contact.mode", "u1", 1, {}, "0 open, 1 sticking, 2 sliding"},
      {0, "contact.point", real, 3, xyz, "m"},
      {0, "contact.normal", rough, 3, xyz, "from b to a"},
      {0, "contact.gap", rough, 1, {}, "m"},
      {0, "contact.force", rough, 3, xyz, "on a, N; times step_length the impulse"},
      {0, "contact.velocity", rough, 3, xyz, "of a relative to b, m/s"},
      {0, "contact.mu", rough, 1, {}, ""},
      {0, "snapshot", "bytes", 1, {}, "from which the run can go on"},
  };
  for (std::size_t i = 0; i < channels.size(); ++i) channels[i].id = static_cast<std::uint16_t>(i + 1);
  return channels;
}

JsonValue to_json(const ChannelInfo& channel) {
  JsonValue value{JsonValue::Object{}};
  value.add("id", static_cast<double>(channel.id));
  value.add("name", channel.name);
  value.add("type", channel.type);
  value.add("width", channel.width);
  if (!channel.fields.empty())
    value.add("fields", JsonValue::Array(channel.fields.begin(), channel.fields.end()));
  if (!channel.about.empty()) value.add("about", channel.about);
  return value;
}

// Values of the header, each of which may be anything: the file is hostile until it has been read.
class HeaderReader {
 public:
  explicit HeaderReader(std::string file) : file_(std::move(file)) {}

  [[noreturn]] void fail(const std::string& path, const std::string& rule) const {
    throw InvalidDocument({{.file = file_,
                            .path = path,
                            .rule = rule,
                            .remedy = "The header of this recording is damaged or of another program."}});
  }
  std::string text(const JsonValue& parent, const char* key) const {
    const JsonValue* value = parent.find(key);
    if (!value || !value->if_string()) fail(key, "must be a text");
    return *value->if_string();
  }
  double number(const JsonValue& parent, const char* key, double low, double high) const {
    const JsonValue* value = parent.find(key);
    const double* number = value ? value->if_number() : nullptr;
    if (!number || !(*number >= low && *number <= high))
      fail(key, fmt::format("must be a number in [{}, {}]", low, high));
    return *number;
  }
  ChannelInfo channel(const JsonValue& value) const {
    ChannelInfo channel;
    channel.id = static_cast<std::uint16_t>(number(value, "id", 1, 65535));
    channel.name = text(value, "name");
    channel.type = text(value, "type");
    channel.width = static_cast<int>(number(value, "width", 1, 1000));
    if (const JsonValue* fields = value.find("fields"))
      for (const JsonValue& field : fields->if_array() ? *fields->if_array() : JsonValue::Array{})
        channel.fields.push_back(field.if_string() ? *field.if_string() : "");
    return channel;
  }

 private:
  std::string file_;
};

}  // namespace

const std::vector<ChannelInfo>& recording_channels(Precision precision) {
  static const std::vector<ChannelInfo> kDouble = make_channels("f8", "f8"),
                                        kSingle = make_channels("f4", "f3");
  return precision == Precision::kDouble ? kDouble : kSingle;
}

std::string write_recording_header(const RecordingHeader& header) {
  JsonValue value{JsonValue::Object{}};
  value.add("program", header.program);
  value.add("scene", header.scene);
  value.add("every", header.every);
  value.add("checkpoint", header.checkpoint);
  value.add("lead_matrix", header.lead_matrix);
  if (header.has_user_elements) value.add("user_elements", true);
  value.add("precision", std::string(header.precision == Precision::kDouble ? "double" : "single"));
  JsonValue::Array channels;
  for (const ChannelInfo& channel : recording_channels(header.precision))
    channels.push_back(to_json(channel));
  value.add("channels", std::move(channels));
  const std::string text = write_json(value, 0);

  std::string bytes(kRecordingMark);
  ByteWriter out(bytes);
  out.put(kRecordingVersion);
  out.put(static_cast<std::uint32_t>(text.size()));
  out.put_bytes(text);
  out.put(
      static_cast<std::uint32_t>(::crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size())));
  return bytes;
}

RecordingHeader read_recording_header(const std::string& json, const std::string& file,
                                      std::vector<ChannelInfo>& channels) {
  Sources sources;
  const JsonValue value = parse_json(sources, sources.add(file, json));
  const HeaderReader in(file);
  RecordingHeader header;
  header.program = in.text(value, "program");
  header.scene = in.text(value, "scene");
  header.every = in.number(value, "every", 0.0, 1e300);
  header.checkpoint = in.number(value, "checkpoint", 0.0, 1e300);
  const auto flag = [&](const char* key) {
    const JsonValue* found = value.find(key);
    return found && found->if_bool() && *found->if_bool();
  };
  header.lead_matrix = flag("lead_matrix");
  header.has_user_elements = flag("user_elements");
  header.precision = in.text(value, "precision") == "single" ? Precision::kSingle : Precision::kDouble;
  channels.clear();
  const JsonValue* list = value.find("channels");
  if (!list || !list->if_array()) in.fail("channels", "must be a list");
  for (const JsonValue& channel : *list->if_array()) channels.push_back(in.channel(channel));
  return header;
}

}  // namespace rigor
