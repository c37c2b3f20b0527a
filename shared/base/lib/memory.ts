// What a container remembers from one request to the next. Every such memory is made here: none grows without bound, and a
// harness empties all of them at once.
const emptiers: (() => void)[] = []

/** Forgets everything, as a new container would have it. For harnesses that see several of them in one process. */
export function coldStart(): void {
  for (const empty of emptiers) empty()
}

/** Holds at most `max` entries; the one that was set first makes room. */
export function memory<V>(max = 10_000): Map<string, V> {
  const map = new Bounded<V>(max)
  emptiers.push(() => map.clear())
  return map
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
 * Loads on first use. A load that failed is tried again by the next caller: it must not poison the container. Calls are
 * marked as pure, so that a bundle drops what its function does not load.
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
