/** How many items one message may still read. */
export class Budget {
  #left: number

  constructor(items: number) {
    this.#left = items
  }

  /** Counts what was read, which may be a little more than was left. */
  take(items: number): void {
    this.#left -= items
  }

  get left(): number {
    return Math.max(0, this.#left)
  }
}
