// How an actor, which is a process of its own, tells the journey what it did: one JSON line on its output.

/** What an actor may say: where it listens, what it did, what it refused. */
export type Report =
  | { kind: 'listening'; url: string }
  | { kind: 'called'; action: string; request_id: string; key: string }
  | { kind: 'verified'; id: string; type: string; data: Record<string, unknown> }
  | { kind: 'refused'; id: string }
  | { kind: 'forged'; reason: string }

export const report = (line: Report): void => void process.stdout.write(`${JSON.stringify(line)}\n`)
