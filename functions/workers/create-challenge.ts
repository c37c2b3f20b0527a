/** Called by the user pool. The challenge asks for a ticket and needs no parameters. */
export async function handler<E extends object>(event: E) {
  const response = { publicChallengeParameters: {}, privateChallengeParameters: {}, challengeMetadata: 'TICKET' }
  return { ...event, response }
}
