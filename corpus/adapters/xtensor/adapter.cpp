// adapter.cpp: xtensor as an implementation, at level `lines`: xt::load_npy<T> and xt::dump_npy.
//
// load_npy needs the type of the elements from its caller, so the adapter first reads the header with xtensor's own
// functions, as load_npy itself does, and picks T by the type string. What matches no T of load_npy is unsupported:
// big-endian numbers, half floats, strings, dates, objects, records.
#include <complex>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <vector>
#include <xtensor/xadapt.hpp>
#include <xtensor/xarray.hpp>
#include <xtensor/xnpy.hpp>

#include "../shared/lines.hpp"

using lines::json;

static const std::string VERSION = std::to_string(XTENSOR_VERSION_MAJOR) + "." + std::to_string(XTENSOR_VERSION_MINOR) +
                                   "." + std::to_string(XTENSOR_VERSION_PATCH);

// What xtensor's functions read in a header.
struct header {
    unsigned char major = 0, minor = 0;
    std::string descr;
    bool fortran_order = false;
    std::vector<std::size_t> shape;
};

// The same calls in the same order as in xt::detail::load_npy_file.
static header peek(const std::string &path)
{
    std::ifstream stream(path, std::ifstream::binary);
    header found;
    std::string text;

    if (!stream) throw std::runtime_error("cannot open the file");
    xt::detail::read_magic(stream, &found.major, &found.minor);
    if (found.major == 1 && found.minor == 0) {
        text = xt::detail::read_header_1_0(stream);
    } else if (found.major == 2 && found.minor == 0) {
        text = xt::detail::read_header_2_0(stream);
    } else {
        throw std::runtime_error("unsupported file format version");
    }
    try {
        xt::detail::parse_header(text, found.descr, &found.fortran_order, found.shape);
    } catch (const std::runtime_error &error) {
        // The type string is none that load_npy knows, be it well-formed or not.
        if (std::string(error.what()) == "invalid typestring") throw lines::unsupported(error.what());
        throw;
    }
    return found;
}

template <class T> static json load(const std::string &path, const header &found)
{
    auto array = xt::load_npy<T>(path);
    lines::digest digest;

    for (auto at = array.template begin<xt::layout_type::row_major>(),
              end = array.template end<xt::layout_type::row_major>();
         at != end; ++at) {
        digest.add(&*at, sizeof(T));
    }
    return {{"verdict", "accept"},
            {"version", std::to_string(found.major) + "." + std::to_string(found.minor)},
            {"descr", found.descr},
            {"shape", std::vector<std::size_t>(array.shape().begin(), array.shape().end())},
            {"fortran_order", found.fortran_order},
            {"itemsize", sizeof(T)},
            {"count", array.size()},
            {"elements_sha256", digest.text()}};
}

template <class T> static void dump(const json &request, const std::string &path)
{
    const std::vector<uint8_t> bytes = lines::base64(request.at("elements_base64"));
    const std::vector<std::size_t> shape = request.at("shape");
    xt::xarray<T> array(shape);

    if (bytes.size() != array.size() * sizeof(T)) throw std::runtime_error("the elements do not fill the shape");
    if (!bytes.empty()) std::memcpy(static_cast<void *>(array.data()), bytes.data(), bytes.size());
    if (request.at("fortran_order")) {
        xt::dump_npy(path, xt::xarray<T, xt::layout_type::column_major>(array));
    } else {
        xt::dump_npy(path, array);
    }
}

// One of the types that load_npy and dump_npy know.
struct type {
    std::string descr;
    json (*load)(const std::string &, const header &);
    void (*dump)(const json &, const std::string &);
};

template <class T> static type type_of()
{
    return {xt::detail::build_typestring<T>(), load<T>, dump<T>};
}

static const type &find(const std::string &descr)
{
    static const std::vector<type> types = {type_of<bool>(),
                                            type_of<int8_t>(),
                                            type_of<int16_t>(),
                                            type_of<int32_t>(),
                                            type_of<int64_t>(),
                                            type_of<uint8_t>(),
                                            type_of<uint16_t>(),
                                            type_of<uint32_t>(),
                                            type_of<uint64_t>(),
                                            type_of<float>(),
                                            type_of<double>(),
                                            type_of<long double>(),
                                            type_of<std::complex<float>>(),
                                            type_of<std::complex<double>>(),
                                            type_of<std::complex<long double>>()};

    for (const type &known : types) {
        if (known.descr == descr) return known;
    }
    throw lines::unsupported("no T of load_npy is " + descr);
}

static json read_file(const std::string &path)
{
    const header found = peek(path);
    return find(found.descr).load(path, found);
}

static void write_file(const json &request, const std::string &path)
{
    if (!request.at("version").is_null()) throw lines::unsupported("dump_npy chooses the version itself");
    find(request.at("descr")).dump(request, path);
}

int main()
{
    const json about = {{"protocol", 1}, {"implementation", "xtensor"}, {"version", VERSION}, {"language", "C++"}};
    return lines::serve(about, read_file, write_file);
}
