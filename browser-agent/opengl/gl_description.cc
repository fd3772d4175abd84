#include "browser-agent/opengl/gl_description.h"

#include <GLES3/gl3.h>

namespace hone::agent {
namespace {

using nlohmann::json;

std::string text(GLenum name) {
  const auto* found = reinterpret_cast<const char*>(glGetString(name));
  return found ? found : "";
}

// The same limits as browser-runtime/src/device/webgl2/context.ts names.
constexpr std::pair<const char*, GLenum> kLimits[] = {
    {"MAX_TEXTURE_SIZE", GL_MAX_TEXTURE_SIZE},
    {"MAX_ARRAY_TEXTURE_LAYERS", GL_MAX_ARRAY_TEXTURE_LAYERS},
    {"MAX_DRAW_BUFFERS", GL_MAX_DRAW_BUFFERS},
    {"MAX_COLOR_ATTACHMENTS", GL_MAX_COLOR_ATTACHMENTS},
    {"MAX_TEXTURE_IMAGE_UNITS", GL_MAX_TEXTURE_IMAGE_UNITS},
    {"MAX_FRAGMENT_UNIFORM_VECTORS", GL_MAX_FRAGMENT_UNIFORM_VECTORS}};

}  // namespace

json describe_gl() {
  json features = json::array(), limits = json::object();
  GLint count = 0;
  glGetIntegerv(GL_NUM_EXTENSIONS, &count);
  for (GLint i = 0; i < count; i++)
    features.push_back(reinterpret_cast<const char*>(glGetStringi(GL_EXTENSIONS, static_cast<GLuint>(i))));
  for (const auto& [name, value] : kLimits) {
    GLint found = 0;
    glGetIntegerv(value, &found);
    limits[name] = found;
  }
  return {{"vendor", text(GL_VENDOR)},
          {"renderer", text(GL_RENDERER)},
          {"version", text(GL_VERSION)},
          {"features", std::move(features)},
          {"limits", std::move(limits)}};
}

}  // namespace hone::agent
