// A matrix told: to a person as text or as a page that leads to the cells' pages, to a program as JSON.
#pragma once

#include <string>

#include "matrix/matrix.hpp"

namespace assay::matrix {

// The table, what its words mean, and for each level whether what the database promises was kept.
std::string table_text(const Matrix& matrix);
// One object; docs/json-schema.json describes it. Ends in a line feed.
std::string table_json(const Matrix& matrix);
// HTML that needs nothing but the pages of the cells beside it.
std::string table_page(const Matrix& matrix);

// What a word of the table means; empty for a cell that did not run.
std::string_view meaning(Finding finding);
// "kept", or by what it is broken, for one column.
std::string promise_told(const Matrix& matrix, std::size_t column);
// "lost update, read skew": what a cell shows.
std::string anomalies_told(const Cell& cell);

}  // namespace assay::matrix
