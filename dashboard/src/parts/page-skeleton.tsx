/** The shape of a page while its numbers are on their way. */
import { Skeleton } from '@mantine/core'
import { text } from '../text/text.ts'

export function PageSkeleton() {
  return (
    <div className="stack" aria-busy="true" role="status" aria-label={text.common.loading}>
      <Skeleton height={36} width={260} />
      <Skeleton height={380} radius="lg" />
      <div className="tables">
        <Skeleton height={300} radius="lg" />
        <Skeleton height={300} radius="lg" />
      </div>
    </div>
  )
}
