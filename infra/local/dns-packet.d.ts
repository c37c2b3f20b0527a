/** The part of dns-packet that the stand-in for DNS uses; the package has no types of its own. */
declare module 'dns-packet' {
  export type Question = { type: string; name: string }
  export type TxtAnswer = { type: 'TXT'; name: string; ttl: number; data: string[] }
  export type Packet = {
    type: 'query' | 'response'
    id?: number
    flags?: number
    questions: Question[]
    answers: TxtAnswer[]
  }
  export const AUTHORITATIVE_ANSWER: number
  /** Throws on what is no DNS message. */
  export function decode(message: Buffer): Partial<Packet>
  export function encode(packet: Packet): Buffer
}
