/** Takes addresses out of the output of a failed command: which mirror a machine uses is its own affair. */
export const withoutHosts = (text: string): string =>
  text
    .replace(/\w+:\/\/[^\s'"]+/g, '<mirror>')
    .replace(/(resolving|resolve|connect to|connecting to) '?[^\s']+'?/gi, '$1 <mirror>')
    .replace(/\d+\.\d+\.\d+\.\d+(:\d+)?/g, '<address>')
    .replace(/\([0-9a-f:]+\)/gi, '(<address>)');
