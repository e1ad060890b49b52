! A minimal bot for Planning in Fortran 2008.
!
! A command comes on each line of standard input. The reply is "=" (done) or "?" (refused), perhaps with a text, and
! then an EMPTY LINE. This bot declares its cards of the strongest value and plays the first card that it may.

program bot
  use, intrinsic :: iso_fortran_env, only: output_unit
  implicit none

  integer, parameter :: most = 256, width = 64
  character(width) :: words(most), hand(most), led, text
  character :: strongest = ' '                     ! the value that no other beats
  integer :: players = 0, me = 0, cards = 0        ! cards: how many I have
  integer :: on_table = 0                          ! cards of the trick that is led by `led`
  character(4096) :: line
  integer :: status, count

  do
    read (*, '(a)', iostat=status) line
    if (status /= 0) exit
    call split()
    if (count == 0) cycle                          ! a blank line has no reply
    text = ''
    ! Not print *, which begins with a blank.
    if (.not. obeyed()) then
      write (*, '(a/)') '? cannot do that'
    else
      write (*, '(a/)') trim('= ' // text)
    end if
    flush (output_unit)                            ! without this the reply waits in a buffer
    if (words(1) == 'quit') exit
  end do

contains

  ! Obeys a command: `text` is what stands after "=" in the reply; false refuses.
  logical function obeyed()
    integer :: i, n, seat
    obeyed = .true.
    select case (words(1))
    case ('set_deck')
      obeyed = count == 3
      if (obeyed) strongest = last(words(2))
    case ('set_players')
      obeyed = count == 3 .and. number(words(2), n) .and. number(words(3), seat)
      if (obeyed) then
        players = n
        me = seat
      end if
    case ('set_cards')
      obeyed = number(words(2), n)
      if (obeyed) obeyed = n == count - 2
      if (obeyed) then
        hand(:n) = words(3:count)
        cards = n
        on_table = 0
      end if
    case ('gen_declare')
      n = 0
      do i = 1, cards
        if (hand(i)(1:1) == strongest) n = n + 1
      end do
      write (text, '(i0)') n
    case ('gen_move')
      obeyed = cards > 0
      text = hand(1)
      do i = cards, 1, -1
        if (on_table > 0 .and. last(hand(i)) == last(led)) text = hand(i)
      end do
    case ('play')
      obeyed = count == 3 .and. number(words(2), seat)
      if (obeyed) call play(seat, words(3))
    case ('set_game', 'time_left', 'declare', 'quit')
    case default
      obeyed = .false.
    end select
  end function

  subroutine play(seat, card)
    integer, intent(in) :: seat
    character(*), intent(in) :: card
    integer :: i
    if (on_table == 0) led = card
    on_table = on_table + 1
    if (on_table >= players) on_table = 0          ! the trick is complete
    do i = 1, cards
      if (seat == me .and. hand(i) == card) then
        hand(i:cards - 1) = hand(i + 1:cards)
        cards = cards - 1
        exit
      end if
    end do
  end subroutine

  subroutine split()
    integer :: i, first
    words = ''
    count = 0
    first = 1
    do i = 1, len_trim(line) + 1
      if (i <= len(line)) then
        if (index(' ' // char(9) // char(13), line(i:i)) == 0) cycle
      end if
      if (i > first .and. count < most) then
        count = count + 1
        words(count) = line(first:i - 1)
      end if
      first = i + 1
    end do
  end subroutine

  character function last(word)
    character(*), intent(in) :: word
    last = word(len_trim(word):len_trim(word))
  end function

  logical function number(word, n)
    character(*), intent(in) :: word
    integer, intent(out) :: n
    integer :: failed
    n = 0
    number = word /= '' .and. verify(trim(word), '0123456789') == 0
    if (number) read (word, *, iostat=failed) n
  end function

end program
