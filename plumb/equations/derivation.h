// The way from a model's equations to the formulas of a step, as a document: sections of sentences, formulas and
// tables, to be written as text, LaTeX or a page.
#pragma once

#include <string>
#include <vector>

#include "plumb/equations/equation_simulation.h"
#include "plumb/equations/reduction.h"
#include "plumb/equations/scripts.h"

namespace plumb {

struct DerivationLine {
  std::string label;       // in front of the formula
  FormulaPtr left, right;  // left = right; without right the formula alone; without both a sentence in `label`
};
struct DerivationTable {
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;
  bool empty() const { return rows.empty(); }
};
struct DerivationSection {
  std::string title, sentence;
  std::vector<DerivationLine> lines;
  DerivationTable table;
  std::vector<DerivationLine> after;  // below the table
};
struct Derivation {
  std::string title;
  std::vector<DerivationSection> sections;
};

Derivation derive(const Model& model);

std::string as_text(const Derivation& derivation);
std::string as_latex(const Derivation& derivation);
std::string as_html(const Derivation& derivation);
// The sections alone, each to be opened and closed, for a page about something else.
std::string as_html_fragment(const Derivation& derivation);

}  // namespace plumb
