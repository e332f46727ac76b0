// lines.hpp: the persistent process of the adapter protocol (level `lines`), for adapters written in C++.
//
// What the library under test prints on standard output goes to standard error: the protocol has its own stream.
#ifndef ADAPTERS_LINES_HPP
#define ADAPTERS_LINES_HPP

#include <cstdint>
#include <cstdio>
#include <functional>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <unistd.h>
#include <vector>

#include "sha256.h"

namespace lines
{

using json = nlohmann::json;

// What a library has no type for, whether it reads or writes.
struct unsupported : std::runtime_error {
    using std::runtime_error::runtime_error;
};

inline std::vector<uint8_t> base64(const std::string &text)
{
    static const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::vector<uint8_t> bytes;
    uint32_t bits = 0, held = 0;
    for (char digit : text) {
        size_t value = digits.find(digit);
        if (value == std::string::npos) break;
        bits = bits << 6 | static_cast<uint32_t>(value);
        held += 6;
        if (held < 8) continue;
        held -= 8;
        bytes.push_back(static_cast<uint8_t>(bits >> held));
    }
    return bytes;
}

// SHA-256 of elements that are added one by one, in C order.
class digest
{
  public:
    digest() { sha256_begin(&hash_); }
    void add(const void *bytes, size_t length) { sha256_add(&hash_, bytes, length); }
    std::string text()
    {
        char text[65];
        sha256_end(&hash_, text);
        return text;
    }

  private:
    sha256 hash_;
};

// Answers until told to stop. `read` returns an answer with its verdict; `write` writes a file. Either may throw
// `unsupported`, or any other exception: then the library has refused.
inline int serve(const json &about, const std::function<json(const std::string &)> &read,
                 const std::function<void(const json &, const std::string &)> &write)
{
    FILE *answers = fdopen(dup(STDOUT_FILENO), "w");
    dup2(STDERR_FILENO, STDOUT_FILENO);
    for (std::string line; std::getline(std::cin, line);) {
        const json message = json::parse(line);
        const std::string command = message.at("cmd");
        if (command == "stop") return 0;
        json answer = about;
        if (command == "read") {
            try {
                answer = read(message.at("file"));
            } catch (const unsupported &error) {
                answer = {{"verdict", "unsupported"}, {"message", error.what()}};
            } catch (const std::exception &error) {
                answer = {{"verdict", "reject"}, {"message", error.what()}};
            }
            answer["seq"] = message.at("seq");
        } else if (command == "write") {
            try {
                write(message.at("request"), message.at("file"));
                answer = {{"written", true}};
            } catch (const unsupported &error) {
                answer = {{"unsupported", error.what()}};
            } catch (const std::exception &error) {
                answer = {{"error", error.what()}};
            }
            answer["seq"] = message.at("seq");
        }
        fprintf(answers, "%s\n", answer.dump(-1, ' ', true, json::error_handler_t::replace).c_str());
        fflush(answers);
    }
    return 0;
}

} // namespace lines

#endif
