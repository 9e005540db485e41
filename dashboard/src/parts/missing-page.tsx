/** For addresses that lead nowhere, or no longer. */
import { Anchor, Title } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { stateQuery } from '../queries.ts'
import { linkTo } from '../router.ts'
import { text } from '../text/text.ts'

export function MissingPage({ isSite = false }: { readonly isSite?: boolean }) {
  const queryClient = useQueryClient()
  // The list of sites is from before it went.
  useEffect(() => {
    if (isSite) void queryClient.invalidateQueries({ queryKey: stateQuery.queryKey })
  }, [isSite, queryClient])
  return (
    <div className="quiet-page">
      <Title order={1}>{isSite ? text.missing.site : text.missing.page}</Title>
      {isSite && <p>{text.missing.siteLead}</p>}
      <Anchor {...linkTo('/')}>{text.missing.home}</Anchor>
    </div>
  )
}
