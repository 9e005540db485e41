/** What the totals consist of, as tables whose rows filter the page. */
import { Anchor } from '@mantine/core'
import { memo } from 'react'
import { formatCountry, formatExact } from '../format.ts'
import { linkTo } from '../router.ts'
import { text } from '../text/text.ts'
import { metricColour } from '../theme.ts'
import { BreakdownCard } from './breakdown-card.tsx'
import type { BreakdownRow, TableProps } from './breakdown-rows.ts'
import { CompaniesCard } from './companies-card.tsx'

export const Tables = memo(function Tables(props: TableProps) {
  return (
    <div className="tables">
      <BotsCard {...props} />
      <AssistantsCard {...props} />
      <CompaniesCard {...props} />
      <ConversionsCard {...props} />
      <PagesCard {...props} />
      <CountriesCard {...props} />
    </div>
  )
})

const t = text.tables

function BotsCard(props: TableProps) {
  const { bots, purposes, totals } = props.overview
  return (
    <BreakdownCard
      {...props}
      title={t.bots}
      meaning="bot"
      tabs={[
        {
          label: t.bots,
          filter: 'bot',
          nameTitle: t.name,
          countTitle: t.reads,
          colour: metricColour.bot,
          total: totals.bot,
          rows: bots.map(({ name, company, purpose, count }) => ({
            value: name,
            label: name,
            aside: company,
            badge: text.purposes[purpose] ?? purpose,
            badgeHint: text.purposeHints[purpose],
            count,
          })),
        },
        {
          label: t.purposes,
          filter: 'purpose',
          nameTitle: t.purpose,
          countTitle: t.reads,
          colour: metricColour.bot,
          total: totals.bot,
          rows: purposes.map(({ name, bot }) => ({
            value: name,
            label: text.purposes[name] ?? name,
            aside: text.purposeHints[name],
            count: bot,
          })),
        },
      ]}
    />
  )
}

function AssistantsCard(props: TableProps) {
  const { sources, totals } = props.overview
  return (
    <BreakdownCard
      {...props}
      title={t.assistants}
      meaning="referral"
      tabs={[
        {
          label: t.assistants,
          filter: 'source',
          nameTitle: t.name,
          countTitle: text.metrics.referral,
          colour: metricColour.referral,
          total: totals.referral,
          rows: sources.map(({ name, company, count }) => ({
            value: name,
            label: name,
            aside: company,
            count,
          })),
        },
      ]}
    />
  )
}

function ConversionsCard(props: TableProps) {
  const { events, totals } = props.overview
  return (
    <BreakdownCard
      {...props}
      title={t.conversions}
      meaning="conversion"
      empty={
        <>
          {t.noConversions} <Anchor {...linkTo('/numbers#conversion')}>{t.howConversions}</Anchor>
        </>
      }
      tabs={[
        {
          label: t.conversions,
          filter: 'event',
          nameTitle: t.name,
          countTitle: t.count,
          colour: metricColour.conversion,
          total: totals.conversion,
          rows: events.map(({ name, count, value }) => ({ value: name, label: name, count, worth: value })),
        },
      ]}
    />
  )
}

const metricTabs = [
  ['bot', t.readByBots],
  ['referral', t.fromAssistants],
  ['conversion', t.converted],
] as const

function PagesCard(props: TableProps) {
  const { pages, pageCount, totals } = props.overview
  return (
    <BreakdownCard
      {...props}
      title={t.pages}
      meaning="page"
      note={
        pageCount > pages.length ? t.onlyTop(formatExact(pages.length), formatExact(pageCount)) : undefined
      }
      tabs={metricTabs.map(([metric, label]) => ({
        label,
        filter: 'page',
        nameTitle: t.page,
        countTitle: text.metrics[metric],
        colour: metricColour[metric],
        total: totals[metric],
        rows: pages
          .map(row => ({ value: row.name, label: row.name, count: row[metric], isPath: true }))
          .sort(byCount),
      }))}
    />
  )
}

function CountriesCard(props: TableProps) {
  const { countries, totals } = props.overview
  return (
    <BreakdownCard
      {...props}
      title={t.countries}
      meaning="country"
      tabs={metricTabs.map(([metric, label]) => ({
        label,
        filter: 'country',
        nameTitle: t.country,
        countTitle: text.metrics[metric],
        colour: metricColour[metric],
        total: totals[metric],
        rows: countries
          .map(row => ({
            value: row.name,
            label: formatCountry(row.name),
            code: row.name,
            count: row[metric],
          }))
          .sort(byCount),
      }))}
    />
  )
}

const byCount = (a: BreakdownRow, b: BreakdownRow): number => b.count - a.count
