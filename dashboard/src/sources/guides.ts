/** The guides of docs/, loaded when they are looked at: what the dashboard tells to copy is what the docs tell. */
import { queryOptions } from '@tanstack/react-query'

const pages = import.meta.glob<string>(['../../../docs/trackers/*.md', '../../../docs/drains/*.md'], {
  query: '?raw',
  import: 'default',
})

/** `name` is one such as `trackers/express`. */
export const guideQuery = (name: string) =>
  queryOptions({
    queryKey: ['guide', name],
    queryFn: () => pages[`../../../docs/${name}.md`]!(),
    staleTime: Number.POSITIVE_INFINITY,
  })
