import { Aws } from 'aws-cdk-lib'
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam'

/**
 * A service of AWS that may take a role for what lies in this account, and not for anybody else whom it serves. The
 * conditions hold wherever the service says for whom it acts, which nobody but the service decides. API Gateway does not say
 * when it takes the role of an integration: a condition that demanded it would fail every request.
 */
export const onlyFromHere = (service: string, resources?: string): ServicePrincipal =>
  new ServicePrincipal(`${service}.amazonaws.com`, {
    conditions: {
      StringEqualsIfExists: { 'aws:SourceAccount': Aws.ACCOUNT_ID },
      ...(resources && {
        ArnLikeIfExists: {
          'aws:SourceArn': `arn:${Aws.PARTITION}:${service}:${Aws.REGION}:${Aws.ACCOUNT_ID}:${resources}`,
        },
      }),
    },
  })
