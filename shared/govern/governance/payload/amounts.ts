// The amounts of money in a payload. Amounts at the same place of each element of a list add up: ten payments of 100 are 1,000. A total
// beside its parts, as on an invoice, is the same money once more.
import type { Member } from './members.ts'

export class Amounts {
  readonly #byPlace = new Map<number, number[]>()
  readonly #places = new WeakMap<Member, number>()
  readonly #ids = new Map<string, number>()

  add(member: Member, amount: number): void {
    const place = this.#placeOf(member)
    const there = this.#byPlace.get(place)
    if (there) there.push(amount)
    else this.#byPlace.set(place, [amount])
  }

  /** NaN where one is ambiguous. */
  get largest(): number | undefined {
    const all = [...this.#byPlace.values()].flat()
    return all.length === 0 ? undefined : all.reduce((most, one) => Math.max(most, one), 0)
  }

  /** Those of the place where they come to most. */
  get most(): number[] {
    return [...this.#byPlace.values()].reduce((most, there) => (totalOf(there) > totalOf(most) ? there : most), [])
  }

  /** Names where a member is, without its positions in lists. Without recursion, because the caller chooses how deep it is. */
  #placeOf(member: Member): number {
    const above: Member[] = []
    let at: Member | undefined = member
    for (; at && !this.#places.has(at); at = at.parent) above.push(at)
    let place = (at && this.#places.get(at)) ?? 0
    for (const one of above.toReversed()) {
      const step = `${place}${stepTo(one)}`
      place = this.#ids.get(step) ?? this.#ids.size + 1
      this.#ids.set(step, place)
      this.#places.set(one, place)
    }
    return place
  }
}

/** A member that the manifest maps to a role has no parent here, but a label. */
const stepTo = ({ isNamed, name, parent, label }: Member): string => (isNamed ? `.${name}` : parent ? '*' : ` ${label}`)

export const totalOf = (amounts: readonly number[]): number => amounts.reduce((sum, one) => sum + one, 0)
