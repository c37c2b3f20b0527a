// Caches of a container that outlive a request. All of them are created here, so none grows without bound and tests can
// empty them all at once.
const emptiers: (() => void)[] = []

/** Empties all caches, like the start of a new container. For tests that simulate several containers in one process. */
export function coldStart(): void {
  for (const empty of emptiers) empty()
}

/** Holds at most `max` entries. When it is full, the oldest entry is dropped. */
export function memory<V>(max = 10_000): Map<string, V> {
  const map = new Bounded<V>(max)
  emptiers.push(() => map.clear())
  return map
}

/** Holds what belongs to an object as long as the object itself. */
export function attached<K extends object, V>(): { get: (to: K) => V | undefined; set: (to: K, value: V) => void } {
  let values = new WeakMap<K, V>()
  emptiers.push(() => (values = new WeakMap()))
  return { get: (to) => values.get(to), set: (to, value) => void values.set(to, value) }
}

class Bounded<V> extends Map<string, V> {
  readonly #max: number

  constructor(max: number) {
    super()
    this.#max = max
  }

  override set(name: string, value: V): this {
    super.set(name, value)
    const [first] = this.size > this.#max ? this.keys() : []
    if (first !== undefined) this.delete(first)
    return this
  }
}

/**
 * Loads on first use. After a failed load the next caller retries, so one failure does not break the container. Mark calls
 * as pure, so that a bundle drops the ones it does not use.
 */
export function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined
  const forget = () => (loading = undefined)
  emptiers.push(forget)
  return () => {
    if (loading) return loading
    const started = (loading = load())
    started.catch(() => loading === started && forget())
    return started
  }
}
