/** Shows the Markdown of a guide, with the values of the site filled into its texts. */
import { Anchor } from '@mantine/core'
import { lexer, type Token, type Tokens } from 'marked'
import { Fragment, type ReactNode } from 'react'
import { CodeBlock } from '../parts/copyable.tsx'
import { ScrollBox } from '../parts/scroll-box.tsx'
import { fillIn, type SiteParts } from './fill-in.ts'
import { targetOf } from './source.ts'

export interface GuideSection {
  /** Null for what stands before the first heading. */
  readonly title: string | null
  readonly anchor: string
  readonly tokens: readonly Token[]
}

/** A page taken apart at its headings; without its title. */
export function sectionsOf(markdown: string): GuideSection[] {
  const sections: { title: string | null; anchor: string; tokens: Token[] }[] = [
    { title: null, anchor: '', tokens: [] },
  ]
  for (const token of lexer(markdown)) {
    if (token.type !== 'heading') sections.at(-1)!.tokens.push(token)
    else if (token.depth > 1) sections.push({ title: token.text, anchor: anchorOf(token.text), tokens: [] })
  }
  return sections
}

const anchorOf = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-')

export interface GuideContext {
  readonly parts: SiteParts
  /** Such as `trackers/express`. */
  readonly guide: string
  readonly label: string
  readonly onSource: (source: string) => void
  readonly onSection: (anchor: string) => void
}

export const GuideBlocks = ({
  tokens,
  context,
}: {
  readonly tokens: readonly Token[]
  readonly context: GuideContext
}) => inOrder(tokens, token => block(token, context))

/** The text of a page has an order and no other names. */
const inOrder = (tokens: readonly Token[], show: (token: Token) => ReactNode): ReactNode =>
  tokens.map((token, i) => <Fragment key={i}>{show(token)}</Fragment>)

function block(token: Token, context: GuideContext): ReactNode {
  switch (token.type) {
    case 'code':
      return <CodeBlock code={fillIn(token.text, context.parts)} label={context.label} />
    case 'table':
      return <GuideTable table={token as Tokens.Table} context={context} />
    case 'list':
      return <GuideList list={token as Tokens.List} context={context} />
    case 'paragraph':
      return <p>{inline(token.tokens, context)}</p>
    case 'text':
      return inline(token.tokens, context)
    default:
      return null
  }
}

function GuideList({ list, context }: { readonly list: Tokens.List; readonly context: GuideContext }) {
  const Kind = list.ordered ? 'ol' : 'ul'
  return (
    <Kind className="guide-list">
      {list.items.map(item => (
        <li key={item.raw}>
          <GuideBlocks tokens={item.tokens} context={context} />
        </li>
      ))}
    </Kind>
  )
}

function GuideTable({ table, context }: { readonly table: Tokens.Table; readonly context: GuideContext }) {
  return (
    <ScrollBox label={context.label}>
      <table className="plain guide-table">
        {table.header.some(({ text }) => text !== '') && (
          <thead>
            <tr>
              {table.header.map(cell => (
                <th key={cell.text} scope="col">
                  {inline(cell.tokens, context)}
                </th>
              ))}
            </tr>
          </thead>
        )}
        <tbody>
          {table.rows.map(([first, ...others]) => (
            <tr key={first!.text}>
              <th scope="row">{inline(first!.tokens, context)}</th>
              {others.map((cell, i) => (
                <td key={table.header[i + 1]?.text}>{inline(cell.tokens, context)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  )
}

const inline = (tokens: readonly Token[] | undefined, context: GuideContext): ReactNode =>
  inOrder(tokens ?? [], token => {
    switch (token.type) {
      case 'codespan':
        return <code>{fillIn(token.text, context.parts)}</code>
      case 'strong':
        return <strong>{inline(token.tokens, context)}</strong>
      case 'em':
        return <em>{inline(token.tokens, context)}</em>
      case 'link':
        return <GuideLink link={token as Tokens.Link} context={context} />
      case 'text':
      case 'escape':
        return fillIn(token.text, context.parts)
      default:
        return token.raw
    }
  })

/** Leads to where the dashboard has the same; elsewhere in a tab of its own. What is only in the docs is plain text. */
function GuideLink({ link, context }: { readonly link: Tokens.Link; readonly context: GuideContext }) {
  const words = inline(link.tokens, context)
  if (/^https?:/.test(link.href)) {
    return (
      <Anchor href={link.href} target="_blank" rel="noreferrer" inherit underline="always">
        {words}
      </Anchor>
    )
  }
  const target = targetOf(link.href, context.guide)
  if (!target) return words
  const go = () => ('source' in target ? context.onSource(target.source) : context.onSection(target.section))
  return (
    <Anchor component="button" type="button" onClick={go} inherit underline="always">
      {words}
    </Anchor>
  )
}
