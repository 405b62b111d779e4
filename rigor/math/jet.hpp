#pragma once

namespace rigor {

/// A number that depends on one variable t, with its derivatives: (f, f', f'') at one t.
///
///     t  is  {t, 1, 0},      a constant c  is  {c, 0, 0}.
///
/// Arithmetic carries the derivatives along:
///
///     (f ± g)' = f' ± g'           (f ± g)'' = f'' ± g''
///     (f g)'   = f' g + f g'       (f g)''   = f'' g + 2 f' g' + f g''
///     h = f/g:   h' = (f' − h g')/g,         h'' = (f'' − 2 h' g' − h g'')/g
///     F(g)'    = F'(g) g'          F(g)''    = F''(g) g'² + F'(g) g''                                (1)
///
/// The value is computed by the same operations as with a double, and has the same bits. A function of a
/// constant is a constant, also where its derivative is infinite: sqrt of {0, 0, 0} is {0, 0, 0}. Elsewhere
/// derivatives that do not exist are infinite or NaN.
struct Jet {
  double value{0.0};
  double first{0.0};   // per unit of t
  double second{0.0};  // per unit of t²

  bool operator==(const Jet&) const = default;
};

[[nodiscard]] Jet operator-(const Jet& f);
[[nodiscard]] Jet operator+(const Jet& f, const Jet& g);
[[nodiscard]] Jet operator-(const Jet& f, const Jet& g);
[[nodiscard]] Jet operator*(const Jet& f, const Jet& g);
[[nodiscard]] Jet operator/(const Jet& f, const Jet& g);

// (1) with                               F'(x)              F''(x)
[[nodiscard]] Jet sin(const Jet& g);   // cos x              −F
[[nodiscard]] Jet cos(const Jet& g);   // −sin x             −F
[[nodiscard]] Jet tan(const Jet& g);   // 1 + F²             2 F F'
[[nodiscard]] Jet asin(const Jet& g);  // 1/√(1 − x²)        x F'³
[[nodiscard]] Jet acos(const Jet& g);  // −1/√(1 − x²)       x F'³
[[nodiscard]] Jet atan(const Jet& g);  // 1/(1 + x²)         −2 x F'²
[[nodiscard]] Jet sinh(const Jet& g);  // cosh x             F
[[nodiscard]] Jet cosh(const Jet& g);  // sinh x             F
[[nodiscard]] Jet tanh(const Jet& g);  // 1/cosh² x          −2 F F'
[[nodiscard]] Jet exp(const Jet& g);   // F                  F
[[nodiscard]] Jet log(const Jet& g);   // 1/x                −F'²
[[nodiscard]] Jet sqrt(const Jet& g);  // 1/(2 F)            −F'/(2 x)

/// f^g. For a constant g = c it is (1) with F' = c x^(c−1), F'' = c (c−1) x^(c−2), for any sign of f; else
///
///     h = f^g,   u = g ln f:      h' = h u',      h'' = h (u'' + u'²),      f > 0.
[[nodiscard]] Jet pow(const Jet& f, const Jet& g);

/// The angle of (g, f). With r² = f² + g²:
///
///     h' = (g f' − f g')/r²,      h'' = (g f'' − f g'')/r² − 2 h' (f f' + g g')/r².
[[nodiscard]] Jet atan2(const Jet& f, const Jet& g);

// Functions in pieces have the derivatives of the piece that they take the value from: abs(0) of the piece
// x ≥ 0, min and max of two equal numbers of the first.
[[nodiscard]] Jet abs(const Jet& f);
[[nodiscard]] Jet min(const Jet& f, const Jet& g);
[[nodiscard]] Jet max(const Jet& f, const Jet& g);

// Functions in steps have derivative 0, at the steps too.
[[nodiscard]] Jet floor(const Jet& f);
[[nodiscard]] Jet ceil(const Jet& f);
[[nodiscard]] Jet round(const Jet& f);
[[nodiscard]] Jet sign(const Jet& f);
[[nodiscard]] Jet step(const Jet& f);

[[nodiscard]] double sign(double x);  // −1, 0 or 1
[[nodiscard]] double step(double x);  // 0 below zero, else 1

/// f − g ⌊f/g⌋: between 0 and g, whatever the sign of f; as a Jet, with ⌊f/g⌋ constant.
[[nodiscard]] double mod(double f, double g);
[[nodiscard]] Jet mod(const Jet& f, const Jet& g);

}  // namespace rigor
