#include "cli/failure.hpp"

#include <fmt/format.h>

#include <exception>
#include <filesystem>
#include <new>
#include <string_view>
#include <system_error>

#include "cli/option/output.hpp"
#include "database/store.hpp"
#include "system/durable_file.hpp"
#include "system/input_error.hpp"

namespace assay::cli {

Exit unless_it_fails(const Action& action, const std::function<void(const Failure&)>& tell) {
  const auto fail = [&](Exit code, std::string_view message) {
    tell({code, std::string(message)});
    return code;
  };
  try {
    return action();
  } catch (const UsageError& error) {
    return fail(Exit::wrong_use, error.what());
  } catch (const InputError& error) {
    return fail(Exit::wrong_use, error.what());
  } catch (const database::StoreError& error) {
    return fail(Exit::wrong_use, error.what());
  } catch (const OutputError& error) {
    return fail(Exit::wrong_use, error.what());
  } catch (const system::StorageError& error) {
    return fail(Exit::wrong_use, error.what());
  } catch (const std::filesystem::filesystem_error& error) {
    return fail(Exit::wrong_use, fmt::format("{}: {}", error.path1().string(), error.code().message()));
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::system_error& error) {
    return fail(Exit::wrong_use, error.what());
  } catch (const std::exception& error) {
    return fail(Exit::defect, fmt::format("a defect of Assay, please report it: {}", error.what()));
  }
}

}  // namespace assay::cli
