// What the evidence says of feedback: all that decides whether it counts and what it says, but no text that a person wrote.
import type { Header } from '../../ledger/evidence/artifact/header.ts'
import type { Feedback } from './feedback.ts'

export const FEEDBACK_ARTIFACT = 'training.feedback.submitted'

export type Stated = Pick<
  Feedback,
  'target_type' | 'target_id' | 'rating' | 'label' | 'persons' | 'may_decide' | 'correction_commitment'
>

export const artifactData = (of: Stated): NonNullable<Header['data']> => ({
  target_type: of.target_type,
  target_id: of.target_id,
  rating: of.rating,
  persons: of.persons,
  may_decide: of.may_decide,
  ...(of.label && { label: of.label }),
  ...(of.correction_commitment !== undefined && { correction_commitment: of.correction_commitment }),
})
