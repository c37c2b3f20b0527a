// State machines of the kinds whose every state is proven by an artifact.
import { lifecycleOf, type Proven as ProvenBy } from '../../../base/kernel/lifecycle.ts'
import type { EventDraft } from '../../events/event.ts'
import { type Artifact, type ArtifactFacts, newArtifact } from './artifact.ts'
import type { Transition } from './record.ts'

export const lifecycle = /* @__PURE__ */ lifecycleOf<ArtifactFacts, Artifact, EventDraft>(newArtifact)

/** The next item, its write, and the transition that proves it: a commit takes all of them, or none. */
export type Proven<T> = ProvenBy<T, Transition>
