// So many at a time that everything still goes well, some more in a queue, and the rest is told at once that it is too much:
// without a bound a hundred callers make each other so slow that nobody gets an answer.
import { setTimeout as wait } from 'node:timers/promises'

export type Limits = {
  /** At a time. */
  running: number
  /** In the queue. */
  waiting: number
  /** Resolves when somebody who begins to wait now has waited long enough. */
  patience: () => Promise<void>
}

/** Of one machine. A second is as long as anybody waits who was told nothing. */
export const LIMITS: Limits = { running: 8, waiting: 1_000, patience: () => wait(1_000, undefined, { ref: false }) }

type Waiting = (admitted: boolean) => void

export class Turns {
  readonly #limits: Limits
  #running = 0
  #queue: Waiting[] = []

  constructor(limits: Limits) {
    this.#limits = limits
  }

  /** In order of arrival. Whoever is admitted calls `done` in the end. */
  take(): Promise<boolean> {
    const { running, waiting, patience } = this.#limits
    if (this.#running < running) {
      this.#running += 1
      return Promise.resolve(true)
    }
    if (this.#queue.length >= waiting) return Promise.resolve(false)
    const { promise, resolve } = Promise.withResolvers<boolean>()
    this.#queue.push(resolve)
    void patience().then(() => this.#giveUp(resolve))
    return promise
  }

  /** Passes the turn on to whoever has waited longest. */
  done(): void {
    const next = this.#queue.shift()
    if (next) next(true)
    else this.#running -= 1
  }

  #giveUp(waiting: Waiting): void {
    this.#queue = this.#queue.filter((one) => one !== waiting)
    waiting(false) // changes nothing for one that was admitted meanwhile
  }
}
