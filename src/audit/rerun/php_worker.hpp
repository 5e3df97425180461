// A process that runs PHP requests again (assay-php), and the talk with it (audit/wire/worker.hpp). It is not
// trusted further than its fence: whatever it sends is checked.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>

#include "audit/wire/worker.hpp"

namespace assay::audit {

struct PhpWorkerOptions {
  std::filesystem::path program;      // assay-php
  std::filesystem::path ini;          // the server's php.ini
  std::filesystem::path code;         // the program that is audited
  std::string sapi = "fpm-fcgi";      // what the server ran: fpm-fcgi or cgi-fcgi
  unsigned seconds_per_request = 60;  // then the worker ends itself
  bool superpose = false;             // it takes groups of requests
  std::string without;                // a guard of superposition that is taken away, to see that it is missed
};

class PhpWorker {
 public:
  // Starts the process and waits until it is ready. Throws std::runtime_error.
  explicit PhpWorker(const PhpWorkerOptions& options);
  PhpWorker(const PhpWorker&) = delete;
  PhpWorker& operator=(const PhpWorker&) = delete;
  ~PhpWorker();

  // False if the process is gone.
  bool send(wire::ToWorker kind, wire::Bytes body);
  struct Message {
    wire::FromWorker kind;
    wire::Bytes body;  // until the next receive()
  };
  // Nothing if the process is gone or talks nonsense.
  std::optional<Message> receive();
  // The processor time it has used up, in seconds.
  double seconds() const;

 private:
  bool receive_all(char* out, std::size_t size);

  pid_t process_ = -1;
  int socket_ = -1;
  std::string body_;
};

}  // namespace assay::audit
