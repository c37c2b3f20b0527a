import { env } from '../../base/lib/env.ts'

/** The URL of an interaction, the same for all its pages. */
export const interactionUrl = (uid: string): string => `${env('APP_URL')}/oauth/interaction/${uid}`
