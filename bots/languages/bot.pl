# A minimal bot for Planning in Perl 5.
#
# A command comes on each line of standard input. The reply is "=" (done) or "?" (refused), perhaps with a text, and
# then an EMPTY LINE. This bot declares its cards of the strongest value and plays the first card that it may.

use strict;
use warnings;

my $strongest = '';           # the value that no other beats
my ($players, $me) = (0, 0);
my @hand;                     # my cards, such as "TD": the value, then the suit
my @trick;                    # the cards on the table

sub last_of { return substr $_[0], -1 }

# One function for each command. It returns what stands after "=", or undef to refuse.
my %commands = (
    set_deck => sub {
        return undef if @_ != 2;
        $strongest = last_of($_[0]);
        return '';
    },
    set_players => sub {
        return undef if "@_" !~ /^\d+ \d+$/;
        ($players, $me) = @_;
        return '';
    },
    set_cards => sub {
        my $count = shift;
        return undef if !defined $count || $count ne scalar @_;
        @hand  = @_;
        @trick = ();
        return '';
    },
    gen_declare => sub { return scalar grep { index($_, $strongest) == 0 } @hand },
    gen_move => sub {
        for my $card (@hand) {
            return $card if @trick && last_of($card) eq last_of($trick[0]);
        }
        return $hand[0];    # undef where there are none
    },
    play => sub {
        my ($seat, $card) = @_;
        return undef if !defined $card;
        @hand = grep { $_ ne $card } @hand if $seat eq $me;
        push @trick, $card;
        @trick = () if @trick >= $players;
        return '';
    },
    map { $_ => sub { return '' } } qw(set_game time_left declare quit),
);

$| = 1;    # flush after each print: else the reply waits in a buffer
while (my $line = <STDIN>) {
    my ($name, @words) = split ' ', $line;
    next if !defined $name;    # a blank line has no reply
    my $command = $commands{$name};
    my $text    = $command ? $command->(@words) : undef;
    print !defined $text ? "? cannot do that\n\n" : $text eq '' ? "=\n\n" : "= $text\n\n";
    last if $name eq 'quit';
}
