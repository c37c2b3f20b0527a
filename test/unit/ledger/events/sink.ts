// A reader of a stream, as slow as a test wants it.
import type { Sink } from '../../../../shared/base/wire/call.ts'

export class Reader implements Sink {
  text = ''
  destroyed = false
  writableNeedDrain = false
  /** Called after each write. */
  onWrite: () => void = () => {}

  write(text: string): void {
    this.text += text
    this.onWrite()
  }

  destroy(): void {
    this.destroyed = true
  }

  /** Positions of the events received, in order. */
  get ids(): number[] {
    return [...this.text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id))
  }

  get heartbeats(): number {
    return this.text.split(': hb\n\n').length - 1
  }
}
