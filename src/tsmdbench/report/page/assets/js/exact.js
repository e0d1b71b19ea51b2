// Numbers without rounding: decimals, quotients of whole numbers, and Python's formats.

/** Read a threshold as the decimal that was written: 0.7 is 7/10, not a little less. */
function decimalFraction(threshold) {
  const [whole, digits = ""] = String(threshold).split(".");
  const under = 10n ** BigInt(digits.length);
  const over = BigInt(whole + digits);
  const shared = gcd(over, under);
  return { over: over / shared, under: under / shared };
}

function gcd(a, b) {
  while (b) [a, b] = [b, a % b];
  return a;
}

function lcm(numbers) {
  let shared = 1n;
  for (const number of numbers) {
    const whole = BigInt(number);
    shared = (shared / gcd(shared, whole)) * whole;
  }
  return shared;
}

/** Sign of a*b - c*d for whole numbers, exact also beyond 2**53. */
function compareProducts(a, b, c, d) {
  const left = a * b;
  const right = c * d;
  if (left <= Number.MAX_SAFE_INTEGER && right <= Number.MAX_SAFE_INTEGER) {
    return Math.sign(left - right);
  }
  const [bigLeft, bigRight] = [BigInt(a) * BigInt(b), BigInt(c) * BigInt(d)];
  return bigLeft > bigRight ? 1 : bigLeft < bigRight ? -1 : 0;
}

/** The quotient of two whole numbers (BigInt, none negative), rounded once. */
function nearestQuotient(over, under) {
  if (!over || !under) return 0;
  if (over <= Number.MAX_SAFE_INTEGER && under <= Number.MAX_SAFE_INTEGER) {
    return Number(over) / Number(under);
  }
  // 64 bits or more of the quotient and a last bit for what is cut off: converting
  // that to a number rounds as the exact quotient would.
  const length = (value) => value.toString(2).length;
  const shift = BigInt(Math.max(0, 66 + length(under) - length(over)));
  const scaled = over << shift;
  const sticky = scaled % under ? 1n : 0n;
  return Number(((scaled / under) << 1n) | sticky) / 2 ** (Number(shift) + 1);
}

/** Sum of over[i] / under[i], divided by the divisor; nothing of nothing is 0. */
function meanOfQuotients(over, under, divisor) {
  if (!divisor) return 0;
  const shared = lcm(under.filter((value) => value));
  let total = 0n;
  over.forEach((value, i) => {
    if (value) total += BigInt(value) * (shared / BigInt(under[i]));
  });
  return nearestQuotient(total, shared * BigInt(divisor));
}

/** Format as Python does: a number exactly between two decimals goes to the even one. */
function fixed(value, digits) {
  const text = value.toFixed(digits);
  const halves = value * 2 ** (digits + 1);
  const between = Number.isInteger(halves) && halves % 2 !== 0;
  if (!between || Number(text.at(-1)) % 2 === 0) return text;
  const step = 10 ** -digits;
  return (Number(text) - Math.sign(value) * step).toFixed(digits);
}
