// adapter.cpp: Halide's image_io as an implementation, at level `lines`: Halide::Tools::load and save.
//
// Elements are asked for by their indices, as a program does: the element [i, j] is buffer(i, j). The message of
// Halide's own check says whether it is the type that it does not know.
#include <cassert> // halide_image_io.h needs it and does not include it
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#define HALIDE_NO_PNG
#define HALIDE_NO_JPEG
#define HALIDE_NO_TIFF
#include "halide_image_io.h"
#include "HalideBuffer.h"

#include "../shared/lines.hpp"

using lines::json;
using image = Halide::Runtime::Buffer<>;

// Why the last check of load or save failed.
static std::string complaint;

static bool check(bool condition, const char *message)
{
    if (!condition) complaint = message;
    return condition;
}

[[noreturn]] static void refuse()
{
    if (complaint.rfind("Unsupported type", 0) == 0) throw lines::unsupported(complaint);
    throw std::runtime_error(complaint);
}

// A type as NumPy names it: Halide has integers, floats and nothing else that a file can hold.
static std::string descr_of(const halide_type_t &type)
{
    const char kind = type.code == halide_type_int ? 'i' : type.code == halide_type_uint ? 'u' : 'f';
    return (type.bits == 8 ? "|" : "<") + std::string(1, kind) + std::to_string(type.bits / 8);
}

static halide_type_t type_of(const std::string &descr)
{
    for (const halide_type_code_t code : {halide_type_int, halide_type_uint, halide_type_float}) {
        for (const uint8_t bits : {8, 16, 32, 64}) {
            const halide_type_t type(code, bits);
            if (descr_of(type) == descr && (code != halide_type_float || bits > 8)) return type;
        }
    }
    throw lines::unsupported("Halide has no type that is " + descr);
}

// Calls `use` with the address of each element in C order of its indices.
template <class Use> static void each(const image &buffer, size_t axis, std::vector<int> &index, const Use &use)
{
    if (axis == index.size()) {
        use(buffer.raw_buffer()->address_of(index.data()));
        return;
    }
    const int extent = buffer.dim(static_cast<int>(axis)).extent();
    for (index[axis] = 0; index[axis] < extent; index[axis]++) each(buffer, axis + 1, index, use);
}

template <class Use> static void each(const image &buffer, const Use &use)
{
    std::vector<int> index(static_cast<size_t>(buffer.dimensions()));
    if (buffer.number_of_elements() > 0) each(buffer, 0, index, use);
}

static json read_file(const std::string &path)
{
    image buffer;
    complaint.clear();
    if (!Halide::Tools::load<image, check>(path, &buffer)) refuse();

    std::vector<int> shape;
    const size_t size = static_cast<size_t>(buffer.type().bytes());
    lines::digest digest;
    for (int axis = 0; axis < buffer.dimensions(); axis++) shape.push_back(buffer.dim(axis).extent());
    each(buffer, [&](const void *element) { digest.add(element, size); });
    return {{"verdict", "accept"}, {"descr", descr_of(buffer.type())},     {"shape", shape},
            {"itemsize", size},    {"count", buffer.number_of_elements()}, {"elements_sha256", digest.text()}};
}

static void write_file(const json &request, const std::string &path)
{
    if (!request.at("version").is_null()) throw lines::unsupported("Halide writes version 1.0 only");
    if (request.at("fortran_order")) throw lines::unsupported("Halide has no order to choose");
    const halide_type_t type = type_of(request.at("descr"));
    const std::vector<uint8_t> bytes = lines::base64(request.at("elements_base64"));
    for (const int64_t dimension : request.at("shape")) {
        if (dimension > std::numeric_limits<int>::max()) throw lines::unsupported("an extent is an int");
    }
    image buffer(type, request.at("shape").get<std::vector<int>>());
    const size_t size = static_cast<size_t>(type.bytes());
    size_t at = 0;

    if (bytes.size() != buffer.number_of_elements() * size)
        throw std::runtime_error("the elements do not fill the shape");
    each(buffer, [&](void *element) {
        std::memcpy(element, bytes.data() + at, size);
        at += size;
    });
    complaint.clear();
    if (!Halide::Tools::save<image, check>(buffer, path)) refuse();
}

int main()
{
    const json about = {
        {"protocol", 1}, {"implementation", "Halide"}, {"version", HALIDE_VERSION}, {"language", "C++"}};
    return lines::serve(about, read_file, write_file);
}
