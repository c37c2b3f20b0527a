// How the file of an export is made. An archive that contains the proof of its own manifest is made in two steps: its content is
// fixed and announced in the chain; once that is signed, the file is made.
import type { Context } from '../../base/context.ts'
import type { Artifact } from '../../ledger/evidence/artifact/artifact.ts'
import type { Export } from './export.ts'
import type { LocalFile } from '../../base/aws/files.ts'

/** `waits`: for a checkpoint, or for what else it needs. `unsealed`: made without the proof. */
export type Stage = 'waits' | 'announce' | 'seal' | 'unsealed'

export type MadeFile = LocalFile & { extension: string; row_count: number }

/** What the export keeps of its content, and the artifacts that commit to it. */
export type Announced = { kept: Partial<Export>; artifacts: readonly [Artifact, ...Artifact[]] }

export type Maker = {
  stage: (ctx: Context, item: Export) => Promise<Stage>
  /** Only of what has the stage. `path`: where it may write. */
  announce?: (ctx: Context, item: Export, path: string) => Promise<Announced>
  /** Writes the file to the path. */
  make: (ctx: Context, item: Export, path: string, stage: Stage) => Promise<MadeFile>
  /** Once the file is there. */
  cleanUp?: (ctx: Context, item: Export) => Promise<void>
}

/** Loads only what the type of export needs. */
export type MakerOf = (type: Export['ask']['type']) => Promise<Maker>
