import { Aws } from 'aws-cdk-lib'
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam'

/**
 * An AWS service that may assume a role only for resources of this account (confused deputy). The conditions apply if the
 * service sends the source account. They are optional, because API Gateway does not send it for the role of an integration,
 * so a required condition would fail every request.
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
