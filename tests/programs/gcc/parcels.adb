--  SPDX-License-Identifier: MIT
--  parcels.adb - generic containers, controlled types, dispatching calls, exceptions through several frames, nested
--  subprograms, and tasks. Prints what it computes. The number of calls does not depend on time.
with Ada.Text_IO; use Ada.Text_IO;
with Ada.Containers.Ordered_Maps;
with Ada.Containers.Vectors;
with Ada.Containers.Generic_Array_Sort;
with Ada.Finalization;

procedure Parcels is

   package Maps is new Ada.Containers.Ordered_Maps (Integer, Integer);
   package Vectors is new Ada.Containers.Vectors (Positive, Integer);

   type Weights is array (Positive range <>) of Integer;
   procedure Sort is new Ada.Containers.Generic_Array_Sort (Positive, Integer, Weights);

   Open_Seals, Lost_Parcels : Integer := 0;
   Lost : exception;

   --  A controlled type: its procedures run when an exception leaves a frame, too.
   type Seal is new Ada.Finalization.Limited_Controlled with null record;
   overriding procedure Initialize (S : in out Seal);
   overriding procedure Finalize (S : in out Seal);

   overriding procedure Initialize (S : in out Seal) is
   begin
      Open_Seals := Open_Seals + 1;
   end Initialize;

   overriding procedure Finalize (S : in out Seal) is
   begin
      Open_Seals := Open_Seals - 1;
   end Finalize;

   package Shapes is
      type Shape is abstract tagged null record;
      function Volume (S : Shape) return Integer is abstract;
      type Box is new Shape with record
         Side : Integer;
      end record;
      overriding function Volume (B : Box) return Integer;
      type Tube is new Shape with record
         Length, Radius : Integer;
      end record;
      overriding function Volume (T : Tube) return Integer;
   end Shapes;

   package body Shapes is
      overriding function Volume (B : Box) return Integer is (B.Side ** 3);
      overriding function Volume (T : Tube) return Integer is (3 * T.Length * T.Radius ** 2);
   end Shapes;

   function Pack (S : Shapes.Shape'Class; Count : Integer) return Integer is
      Total : Integer := 0;

      --  Uses a variable of the enclosing frame.
      procedure Add (N : Integer) is
      begin
         if N > 0 then
            Total := Total + Shapes.Volume (S);
            Add (N - 1);
         end if;
      end Add;
   begin
      Add (Count);
      return Total;
   end Pack;

   function Carry (Parcel, Depth : Integer) return Integer is
      S : Seal;
      pragma Unreferenced (S);
   begin
      if Depth = 0 then
         if Parcel mod 7 = 0 then
            raise Lost with "parcel" & Integer'Image (Parcel);
         end if;
         return Parcel;
      end if;
      return Carry (Parcel, Depth - 1) + 1;
   end Carry;

   function Deliver (Parcel : Integer) return Integer is
   begin
      return Carry (Parcel, Parcel mod 5);
   exception
      when Lost =>
         Lost_Parcels := Lost_Parcels + 1;
         return 0;
   end Deliver;

   --  Raises Constraint_Error by its check.
   function Shelf (W : Weights; Position : Integer) return Integer is (W (Position));

   function Shelved (W : Weights; Position : Integer) return Integer is
   begin
      return Shelf (W, Position);
   exception
      when Constraint_Error => return -1;
   end Shelved;

   task type Carrier is
      entry Take (Parcels : Integer);
      entry Give (Total : out Integer);
   end Carrier;

   task body Carrier is
      Sum : Integer := 0;

      function Work (N : Integer) return Integer is (if N < 2 then N else Work (N - 1) + Work (N - 2));
   begin
      accept Take (Parcels : Integer) do
         Sum := Parcels;
      end Take;
      Sum := Work (Sum);
      accept Give (Total : out Integer) do
         Total := Sum;
      end Give;
   end Carrier;

   Carriers : array (1 .. 3) of Carrier;
   Map : Maps.Map;
   List : Vectors.Vector;
   Heavy : Weights (1 .. 40);
   Sum, Total : Integer := 0;
begin
   for I in Carriers'Range loop
      Carriers (I).Take (10 + I);
   end loop;
   for I in 1 .. 100 loop
      Map.Include ((I * 37) mod 51, I);
      List.Append (Deliver (I));
   end loop;
   for Value of Map loop
      Sum := Sum + Value;
   end loop;
   for Value of List loop
      Total := Total + Value;
   end loop;
   for I in Heavy'Range loop
      Heavy (I) := (I * 29) mod 41;
   end loop;
   Sort (Heavy);
   Put_Line (Integer'Image (Sum) & Integer'Image (Total) & Integer'Image (Lost_Parcels) & Integer'Image (Open_Seals));
   Put_Line (Integer'Image (Heavy (1)) & Integer'Image (Shelved (Heavy, 40)) & Integer'Image (Shelved (Heavy, 41)));
   Put_Line (Integer'Image (Pack (Shapes.Box'(Side => 3), 4)) & Integer'Image (Pack (Shapes.Tube'(5, 2), 3)));
   for I in Carriers'Range loop
      Carriers (I).Give (Total);
      Put_Line (Integer'Image (Total));
   end loop;
end Parcels;
