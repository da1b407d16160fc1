// Numbers for people.

// Up to `digits` significant digits, an exponent only where it is shorter, a true minus sign.
export function number(x: number | null | undefined, digits = 6): string {
  if (x === null || x === undefined || Number.isNaN(x)) return '–';
  if (x === 0) return '0';
  const size = Math.abs(x);
  let text = size >= 1e6 || size < 1e-4 ? x.toExponential(digits - 1) : x.toPrecision(digits);
  text = text.replace(/(\.\d*?)0+(e|$)/, '$1$2').replace(/\.(e|$)/, '$1');
  return text.replace('e+', 'e').replaceAll('-', '−');
}

export function duration(seconds: number): string {
  if (seconds < 1e-3) return `${number(seconds * 1e6, 3)} µs`;
  if (seconds < 1) return `${number(seconds * 1e3, 3)} ms`;
  return `${number(seconds, 3)} s`;
}

// Time with as many decimals as the whole run makes sensible.
export function clockTime(t: number, end: number): string {
  const decimals = Math.min(6, Math.max(2, 3 - Math.floor(Math.log10(Math.max(end, 1e-9)))));
  return `${t.toFixed(decimals)} s`;
}

// Labels of an axis whose ticks are `step` apart.
export function tick(x: number, step: number): string {
  if (x === 0) return '0';
  const size = Math.abs(x);
  if (size >= 1e5 || size < 1e-3) return number(x, 3);
  let decimals = 0;
  for (let s = step; decimals < 8 && Math.abs(s - Math.round(s)) > 1e-6; s *= 10) ++decimals;
  return x.toFixed(decimals).replace('-', '−');
}

// "1 part in 4.2e9"
export function partsIn(ratio: number): string {
  if (!(ratio > 0)) return 'nothing that can be seen';
  return `1 part in ${number(1 / ratio, 2)}`;
}
