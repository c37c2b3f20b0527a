// Who could act with a credential: its maker, and everybody who has seen a secret of it. None of them may approve its
// requests (decision 0047).
type Credential = { created_by: string; seen_by: readonly string[] }

/** The maker comes first. */
export const personsOf = ({ created_by, seen_by }: Credential): string[] => [...new Set([created_by, ...seen_by])]

/** `seen_by` of a credential after these people have seen a secret of it, too. */
export const seenAlsoBy = (was: Credential, persons: readonly string[]): string[] => [
  ...new Set([...personsOf(was), ...persons]),
]
