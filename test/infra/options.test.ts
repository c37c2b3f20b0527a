import { describe, expect, test } from 'vitest'
import { readOptions } from '../../infra/options.ts'

const read = (context: Record<string, unknown>) => readOptions((name) => context[name])

describe('options', () => {
  test('have defaults', () => {
    expect(read({})).toMatchObject({
      prefix: 'countersign',
      waf: true,
      objectLock: 'governance',
      evidenceKeys: ['p256'],
      staticEgress: false,
      dnsServers: '1.1.1.1,8.8.8.8',
      webhookFirstAttempt: 'immediate',
      webhookFailuresMax: 5,
      webhookErrorDays: 5,
    })
  })

  test('are the same in cdk.json and on the command line', () => {
    const words = read({ waf: 'false', provisionedConcurrency: '3' })

    expect(words).toEqual(read({ waf: false, provisionedConcurrency: 3 }))
    expect(words).toMatchObject({ waf: false, provisionedConcurrency: 3 })
  })

  test('name every key that ever signed, oldest first', () => {
    expect(read({ evidenceKeys: 'p256,ed25519' })).toMatchObject({ evidenceKeys: ['p256', 'ed25519'] })
  })

  test.each([
    ['a prefix too long for the names of functions', { prefix: 'a'.repeat(24) }, 'prefix'],
    ['a prefix that is no name', { prefix: 'Prod!' }, 'prefix'],
    ['a domain without a certificate', { apiDomain: 'api.example.com' }, 'certificateArn'],
    ['a domain at CloudFront without a certificate', { cdn: true, apiDomain: 'api.example.com' }, 'cdnCertificateArn'],
    [
      'a certificate that CloudFront cannot use',
      { cdn: true, cdnCertificateArn: 'arn:aws:acm:eu-west-1:111122223333:certificate/abc' },
      'cdnCertificateArn',
    ],
    ['an address that is none', { alarmEmail: 'ops' }, 'alarmEmail'],
    ['a sender that is none', { mailFrom: 'Acme' }, 'mailFrom'],
    ['a sender that is two', { mailFrom: 'a@b.example, c@d.example' }, 'mailFrom'],
    ['a name server by name', { dnsServers: '1.1.1.1,dns.example' }, 'dnsServers'],
    ['no warm container at all', { provisionedConcurrency: '0' }, 'provisionedConcurrency'],
    ['a kind of key that cannot sign notes', { evidenceKeys: 'p256,rsa' }, 'evidenceKeys'],
    ['a lock that does not exist', { objectLock: 'none' }, 'objectLock'],
  ])('%s is refused by name', (_, context, name) => {
    expect(() => read(context)).toThrow(name)
  })
})
