// Amounts as whole ten-thousandths: a sum of thirty times 0.1 is 3, which floating point numbers do not give.
import { SUM_MAX } from '../governance/rule-terms.ts'

const PLACES = 4

type Decimal = { digits: bigint; places: number }

/** A positive number by its shortest decimal form, which is what its author wrote. */
function decimalOf(value: number): Decimal {
  const [, whole = '0', fraction = '', exponent = '0'] = /^(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value)) ?? []
  return { digits: BigInt(whole + fraction), places: fraction.length - Number(exponent) }
}

/** An amount times a rate, in ten-thousandths, rounded up. */
export function tenThousandths(amount: number, rate = 1): bigint {
  const [a, b] = [decimalOf(amount), decimalOf(rate)]
  const digits = a.digits * b.digits
  const extra = a.places + b.places - PLACES
  if (extra <= 0) return digits * 10n ** BigInt(-extra)
  const unit = 10n ** BigInt(extra)
  return (digits + unit - 1n) / unit
}

export const SUM_MOST = tenThousandths(SUM_MAX)

/** For people. */
export const fromTenThousandths = (units: bigint): number => Number(units) / 10 ** PLACES
